#include "bench/gpu/own_device.h"

#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include "controllers/gpu/cuda/devices.h"
#include "kernels/woa_cuda.h"

namespace woa::bench {
namespace {

constexpr unsigned kSpin = 0x01;  // CU_CTX_SCHED_SPIN: the quickest way to wait
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

OwnDevice::OwnDevice(OwnDevice&& other) noexcept
    : cuda_(other.cuda_),
      context_(std::exchange(other.context_, nullptr)),
      stream_(other.stream_),
      kernels_(std::move(other.kernels_)) {}

OwnDevice::~OwnDevice() {
  if (context_ != nullptr) cuda_.context_destroy(context_);
}

Result<OwnDevice> OwnDevice::open(std::span<const std::filesystem::path> folders,
                                  std::span<const std::string> kernels) {
  const Result<cuda::Library>& library = open_cuda();
  if (!library.ok()) return library.status();
  const auto devices = list_cuda_devices(*library);
  if (!devices.ok()) return devices.status();
  OwnDevice device(*library);
  WOA_RETURN_IF_ERROR(
      cuda_status("cuCtxCreate", library->context_create(&device.context_, kSpin, devices->front().id)));
  WOA_RETURN_IF_ERROR(cuda_status("cuStreamCreate", library->stream_create(&device.stream_, cuda::kStreamNonBlocking)));
  for (const std::string& kernel : kernels) WOA_RETURN_IF_ERROR(device.load(folders, kernel));
  return device;
}

Status OwnDevice::load(std::span<const std::filesystem::path> folders, const std::string& kernel) {
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path file = folder / kernel / (kernel + ".ptx");
    std::ifstream in(file);
    if (!in) continue;
    const std::string ptx{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    cuda::Module module = nullptr;
    WOA_RETURN_IF_ERROR(cuda_status("cuModuleLoadDataEx of " + file.string(),
                                    cuda_.module_load(&module, ptx.c_str(), 0, nullptr, nullptr)));
    kernels_.emplace_back();
    return cuda_status("cuModuleGetFunction", cuda_.module_function(&kernels_.back(), module, kernel.c_str()));
  }
  return {Code::kNotFound, "no folder of WOA_KERNEL_PATH and no shipped one has " + kernel + "/" + kernel +
                               ".ptx; build the kernels (cmake --build build --target programs)"};
}

Result<cuda::DevicePtr> OwnDevice::take(std::uint64_t bytes) {
  cuda::DevicePtr at = 0;
  WOA_RETURN_IF_ERROR(cuda_status("cuMemAlloc", cuda_.memory_alloc(&at, bytes)));
  return at;
}

Result<OwnDevice::Pinned> OwnDevice::take_pinned(std::uint64_t bytes) {
  void* at = nullptr;
  WOA_RETURN_IF_ERROR(
      cuda_status("cuMemHostAlloc", cuda_.host_alloc(&at, bytes, cuda::kHostAllocPortable | cuda::kHostAllocMapped)));
  Pinned pinned{{static_cast<std::byte*>(at), bytes}};
  WOA_RETURN_IF_ERROR(cuda_status("cuMemHostGetDevicePointer", cuda_.host_device_pointer(&pinned.device, at, 0)));
  return pinned;
}

Result<cuda::Event> OwnDevice::make_event() {
  cuda::Event event = nullptr;
  WOA_RETURN_IF_ERROR(cuda_status("cuEventCreate", cuda_.event_create(&event, 0)));
  return event;
}

Status OwnDevice::record(cuda::Event event) { return cuda_status("cuEventRecord", cuda_.event_record(event, stream_)); }

Status OwnDevice::to_device(cuda::DevicePtr to, std::span<const std::byte> from) {
  return cuda_status("cuMemcpyHtoDAsync", cuda_.copy_to_device_async(to, from.data(), from.size(), stream_));
}

Status OwnDevice::to_host(std::span<std::byte> to, cuda::DevicePtr from) {
  return cuda_status("cuMemcpyDtoHAsync", cuda_.copy_to_host_async(to.data(), from, to.size(), stream_));
}

Status OwnDevice::launch(std::size_t kernel, cuda::DevicePtr in, cuda::DevicePtr out, std::uint64_t bytes) {
  const woa_dims dims{{static_cast<woa_u32>(bytes), 1, 1, 1}};
  Words words{{bytes, 1, 1}, in, bytes, dims, out, bytes, dims};
  std::size_t size = sizeof words;
  std::array<void*, 5> extra{cuda::kLaunchBuffer, &words, cuda::kLaunchBufferBytes, &size, cuda::kLaunchEnd};
  const auto blocks = static_cast<unsigned>((bytes + kBlock - 1) / kBlock);
  return cuda_status("cuLaunchKernel",
                     cuda_.launch(kernels_[kernel], blocks, 1, 1, kBlock, 1, 1, 0, stream_, nullptr, extra.data()));
}

Status OwnDevice::synchronise() { return cuda_status("cuStreamSynchronize", cuda_.stream_synchronize(stream_)); }

Result<double> OwnDevice::between(cuda::Event begin, cuda::Event end) {
  float ms = 0;
  WOA_RETURN_IF_ERROR(cuda_status("cuEventElapsedTime", cuda_.event_elapsed_ms(&ms, begin, end)));
  return 1e6 * static_cast<double>(ms);
}

}  // namespace woa::bench
