#include "bench/gpu/own_device.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "kernels/woa_cuda.h"

namespace woa::bench {
namespace {

constexpr std::uint32_t kBlock = 256;

// Parameters of a kernel that takes and gives bytes (woa_cuda.h).
struct Words {
  std::uint64_t work[WOA_CUDA_WORK_WORDS];
  std::uint64_t in, in_bytes;
  woa_dims in_dims;
  std::uint64_t out, out_bytes;
  woa_dims out_dims;
};

}  // namespace

std::vector<std::string> chain_of(std::uint32_t stages) {
  std::vector<std::string> kernels(stages, "copy");
  kernels.front() = "invert";
  return kernels;
}

Result<FirstDevice> FirstDevice::open(unsigned context_flags) {
  const Result<cuda::Library>& library = open_cuda();
  if (!library.ok()) return library.status();
  WOA_ASSIGN_OR_RETURN(auto devices, list_cuda_devices(*library));
  WOA_ASSIGN_OR_RETURN(auto context, CudaContext::make(*library, devices.front(), context_flags));
  return FirstDevice{std::move(devices.front()), std::move(context)};
}

Result<double> between_ns(const CudaContext& context, const CudaOwned<cuda::Event>& begin,
                          const CudaOwned<cuda::Event>& end) {
  float ms = 0;
  WOA_RETURN_IF_ERROR(cuda_status("cuEventElapsedTime", context.cuda().event_elapsed_ms(&ms, begin.get(), end.get())));
  return 1e6 * static_cast<double>(ms);
}

Result<double> us_of_each(const CudaContext& context, cuda::Stream stream, const Sends& sends,
                          const std::function<Status()>& send) {
  const cuda::Library& cuda = context.cuda();
  WOA_ASSIGN_OR_RETURN(const auto begin, context.make_event(cuda::kEventTiming));
  WOA_ASSIGN_OR_RETURN(const auto end, context.make_event(cuda::kEventTiming));
  for (std::uint64_t n = 0; n < sends.warm_up; ++n) WOA_RETURN_IF_ERROR(send());
  WOA_RETURN_IF_ERROR(cuda_status("cuEventRecord", cuda.event_record(begin.get(), stream)));
  for (std::uint64_t n = 0; n < sends.count; ++n) WOA_RETURN_IF_ERROR(send());
  WOA_RETURN_IF_ERROR(cuda_status("cuEventRecord", cuda.event_record(end.get(), stream)));
  WOA_RETURN_IF_ERROR(cuda_status("cuStreamSynchronize", cuda.stream_synchronize(stream)));
  WOA_ASSIGN_OR_RETURN(const double ns, between_ns(context, begin, end));
  return ns / 1e3 / static_cast<double>(sends.count);
}

Result<OwnStream> OwnStream::open(std::span<const std::filesystem::path> folders,
                                  std::span<const std::string> kernels) {
  WOA_ASSIGN_OR_RETURN(const auto first, FirstDevice::open(cuda::kContextSpin));
  OwnStream made(first.context);
  WOA_ASSIGN_OR_RETURN(made.stream_, made.context_->make_stream());
  for (const std::string& kernel : kernels) WOA_RETURN_IF_ERROR(made.load(folders, kernel));
  return made;
}

Status OwnStream::load(std::span<const std::filesystem::path> folders, const std::string& kernel) {
  const cuda::Library& cuda = context_->cuda();
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path file = folder / kernel / (kernel + ".ptx");
    std::ifstream in(file);
    if (!in) continue;
    const std::string ptx{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    cuda::Module module = nullptr;
    WOA_RETURN_IF_ERROR(cuda_status("cuModuleLoadDataEx of " + file.string(),
                                    cuda.module_load(&module, ptx.c_str(), 0, nullptr, nullptr)));
    modules_.emplace_back(module, cuda.module_unload);
    kernels_.emplace_back();
    return cuda_status("cuModuleGetFunction", cuda.module_function(&kernels_.back(), module, kernel.c_str()));
  }
  return {Code::kNotFound, "no folder of WOA_KERNEL_PATH and no shipped one has " + kernel + "/" + kernel +
                               ".ptx; build the kernels (cmake --build build --target programs)"};
}

Status OwnStream::record(const CudaOwned<cuda::Event>& event) {
  return cuda_status("cuEventRecord", context_->cuda().event_record(event.get(), get()));
}

Status OwnStream::to_device(cuda::DevicePtr to, std::span<const std::byte> from) {
  return cuda_status("cuMemcpyHtoDAsync", context_->cuda().copy_to_device_async(to, from.data(), from.size(), get()));
}

Status OwnStream::to_host(std::span<std::byte> to, cuda::DevicePtr from) {
  return cuda_status("cuMemcpyDtoHAsync", context_->cuda().copy_to_host_async(to.data(), from, to.size(), get()));
}

Status OwnStream::launch(std::size_t kernel, cuda::DevicePtr in, cuda::DevicePtr out, std::uint64_t bytes) {
  const woa_dims dims{{static_cast<woa_u32>(bytes), 1, 1, 1}};
  const Words words{{bytes, 1, 1}, in, bytes, dims, out, bytes, dims};
  const auto blocks = static_cast<unsigned>((bytes + kBlock - 1) / kBlock);
  return cuda_launch(context_->cuda(), "cuLaunchKernel", {kernels_[kernel], {blocks, 1, 1}, {kBlock, 1, 1}}, get(),
                     std::as_bytes(std::span(&words, 1)));
}

Status OwnStream::synchronise() {
  return cuda_status("cuStreamSynchronize", context_->cuda().stream_synchronize(get()));
}

}  // namespace woa::bench
