#include "controllers/gpu/cuda/counting_stream.h"

#include <array>
#include <span>
#include <utility>

namespace woa {
namespace {

// The fence is what a stream's own store does before it (CU_STREAM_WRITE_VALUE_DEFAULT).
constexpr const char* kStorePtx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry woa_store(
  .param .u64 woa_store_param_0,
  .param .u64 woa_store_param_1
)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [woa_store_param_0];
  ld.param.u64 %rd2, [woa_store_param_1];
  cvta.to.global.u64 %rd3, %rd1;
  fence.acq_rel.sys;
  st.relaxed.sys.global.u64 [%rd3], %rd2;
  ret;
}
)";

}  // namespace

Status WordStore::open(const CudaContext& context, const CudaDevice& device) {
  if (device.writes_words) return {};
  const cuda::Library& cuda = context.cuda();
  cuda::Module module = nullptr;
  WOA_RETURN_IF_ERROR(
      cuda_status("cuModuleLoadDataEx of woa_store", cuda.module_load(&module, kStorePtx, 0, nullptr, nullptr)));
  module_ = {module, cuda.module_unload};
  return cuda_status("cuModuleGetFunction of woa_store", cuda.module_function(&kernel_, module, "woa_store"));
}

Status WordStore::store(const cuda::Library& cuda, cuda::Stream stream, cuda::DevicePtr at,
                        std::uint64_t value) const noexcept {
  if (kernel_ == nullptr)
    return cuda_status("cuStreamWriteValue64", cuda.stream_write_value(stream, at, value, cuda::kWriteValueDefault));
  const std::array<std::uint64_t, 2> parameters{at, value};
  return cuda_launch(cuda, "cuLaunchKernel of woa_store", {.function = kernel_}, stream,
                     std::as_bytes(std::span(parameters)));
}

Status CountingStream::open(const CudaContext& context, const WordStore& store, std::byte* counter,
                            cuda::DevicePtr counter_device, DriverCalls& calls) {
  auto stream = context.make_stream();
  if (!stream.ok()) return stream.status();
  stream_ = std::move(stream).value();
  cuda_ = &context.cuda();
  store_ = &store;
  counter_ = reinterpret_cast<std::uint64_t*>(counter);
  counter_device_ = counter_device;
  bell_ = &calls.add_bell();
  return {};
}

Status CountingStream::wait_for(cuda::Event event) const noexcept {
  return cuda_status("cuStreamWaitEvent", cuda_->stream_wait_event(stream_.get(), event, 0));
}

Status CountingStream::store(cuda::DevicePtr at, std::uint64_t value) const noexcept {
  return store_->store(*cuda_, stream_.get(), at, value);
}

Status CountingStream::mark() noexcept {
  WOA_RETURN_IF_ERROR(store(counter_device_, last_mark_ + 1));
  ++last_mark_;
  return {};
}

Status CountingStream::ring_when_done() noexcept {
  if (reached(last_mark_) || bell_->will_ring.load(std::memory_order_relaxed)) return {};
  bell_->will_ring.store(true, std::memory_order_relaxed);
  return cuda_status("cuLaunchHostFunc", cuda_->stream_host_function(stream_.get(), &DriverCalls::ring, bell_));
}

}  // namespace woa
