#include "controllers/gpu/cuda/context.h"

#include <atomic>
#include <cstring>
#include <string>

#include "runtime/base/quantities.h"

namespace woa {
namespace {

std::atomic<std::uint64_t> contexts_made{0};
thread_local std::uint64_t context_here = 0;  // number of the current one; 0: not one of ours

}  // namespace

CudaContext::CudaContext(const cuda::Library& cuda, cuda::Context context) noexcept
    : cuda_(cuda), context_(context), number_(contexts_made.fetch_add(1) + 1) {
  context_here = number_;  // a new context is current
}

Result<std::shared_ptr<CudaContext>> CudaContext::make(const cuda::Library& cuda, const CudaDevice& device,
                                                       unsigned flags) {
  cuda::Context context = nullptr;
  const auto code = cuda.context_create(&context, flags, device.id);
  if (code == cuda::kDeviceUnavailable) return {Code::kUnavailable, "'" + device.description.device + "' " + kTaken};
  if (code == cuda::kOutOfMemory)
    return {Code::kExhausted, "'" + device.description.device +
                                  "' has no memory left for another process; `nvidia-smi` lists those that use it"};
  WOA_RETURN_IF_ERROR(cuda_status("cuCtxCreate", code));
  return std::shared_ptr<CudaContext>(new CudaContext(cuda, context));
}

CudaContext::~CudaContext() {
  make_current();
  cuda_.context_destroy(context_);
  context_here = 0;
}

void CudaContext::make_current() const noexcept {
  if (context_here == number_) return;
  cuda_.context_set_current(context_);
  context_here = number_;
}

std::string CudaContext::free_memory() const {
  std::size_t free = 0, total = 0;
  if (cuda_.memory_info(&free, &total) != cuda::kSuccess) return "the driver does not tell how much is free";
  return bytes_text(free) + " of " + bytes_text(total) + " are free";
}

Result<CudaOwned<cuda::Stream>> CudaContext::make_stream(bool first) const {
  cuda::Stream stream = nullptr;
  int least = 0, greatest = 0;
  WOA_RETURN_IF_ERROR(cuda_status("cuCtxGetStreamPriorityRange", cuda_.stream_priorities(&least, &greatest)));
  WOA_RETURN_IF_ERROR(cuda_status("cuStreamCreateWithPriority",
                                  cuda_.stream_create(&stream, cuda::kStreamNonBlocking, first ? greatest : least)));
  return CudaOwned<cuda::Stream>(stream, cuda_.stream_destroy);
}

Result<CudaOwned<cuda::Event>> CudaContext::make_event(unsigned flags) const {
  cuda::Event event = nullptr;
  WOA_RETURN_IF_ERROR(cuda_status("cuEventCreate", cuda_.event_create(&event, flags)));
  return CudaOwned<cuda::Event>(event, cuda_.event_destroy);
}

Result<DeviceMemory> DeviceMemory::make(const CudaContext& context, std::size_t bytes) {
  cuda::DevicePtr at = 0;
  const auto code = context.cuda().memory_alloc(&at, bytes);
  if (code != cuda::kSuccess) {
    const Status failure = cuda_status("cuMemAlloc of " + bytes_text(bytes), code);
    return {failure.code(), failure.message() + "; " + context.free_memory()};
  }
  DeviceMemory made;
  made.at_ = at;
  made.free_ = context.cuda().memory_free;
  return made;
}

Result<PinnedMemory> PinnedMemory::make(const CudaContext& context, std::size_t bytes) {
  const cuda::Library& cuda = context.cuda();
  void* at = nullptr;
  WOA_RETURN_IF_ERROR(
      cuda_status("cuMemHostAlloc of " + bytes_text(bytes), cuda.host_alloc(&at, bytes, cuda::kHostAllocMapped)));
  PinnedMemory made;
  made.host_ = {at, cuda.host_free};
  std::memset(at, 0, bytes);
  WOA_RETURN_IF_ERROR(cuda_status("cuMemHostGetDevicePointer", cuda.host_device_pointer(&made.device_, at, 0)));
  return made;
}

}  // namespace woa
