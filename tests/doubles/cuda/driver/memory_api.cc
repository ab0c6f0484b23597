// Device memory, host memory, registration, and the copy that waits.
#include <cstring>

#include "tests/doubles/common/pages.h"
#include "tests/doubles/cuda/driver/context.h"
#include "tests/doubles/cuda/driver/exports.h"

namespace woa::cuda {
namespace {

using cuda_double::broken;
using cuda_double::ContextState;
using cuda_double::driver;
using cuda_double::enter;
using cuda_double::enter_unless_resident;
using cuda_double::memory_map;
using cuda_double::options;
using cuda_double::Origin;
using cuda_double::Range;
using doubles::Pages;

bool refuses_memory() { return ++driver().allocations == options().fail.no_memory; }

// Gives back a range of this context and origin that no operation uses.
Result give_back(std::string_view function, const ContextState* context, Range* range, Origin origin, Result unknown) {
  if (range == nullptr || range->origin != origin || range->context != context) return unknown;
  if (range->users.load(std::memory_order_relaxed) != 0)
    return broken("in_use", function, "an operation that is queued or running uses this memory");
  memory_map().remove(range);
  return kSuccess;
}

}  // namespace

Result cuMemAlloc_v2(DevicePtr* at, std::size_t bytes) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuMemAlloc", context); result != kSuccess) return result;
  if (at == nullptr || bytes == 0) return kInvalidValue;
  const Range* const range = refuses_memory() ? nullptr : memory_map().add_device(context, bytes, Origin::kDevice);
  if (range == nullptr) return kOutOfMemory;
  *at = range->device;
  return kSuccess;
}

Result cuMemFree_v2(DevicePtr at) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuMemFree", context); result != kSuccess) return result;
  const Result result =
      give_back("cuMemFree", context, memory_map().begins_on_device(at), Origin::kDevice, kInvalidValue);
  return result == kInvalidValue ? broken("handle", "cuMemFree", "no such allocation: freed before, or never made")
                                 : result;
}

Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ContextState* context = nullptr;
  if (const Result result = enter("cuMemGetInfo", context); result != kSuccess) return result;
  if (free == nullptr || total == nullptr) return kInvalidValue;
  *free = memory_map().free_bytes();
  *total = options().memory_bytes;
  return kSuccess;
}

Result cuMemHostAlloc(void** at, std::size_t bytes, unsigned flags) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuMemHostAlloc", context); result != kSuccess) return result;
  if (at == nullptr || bytes == 0 || (flags & ~(kHostAllocPortable | kHostAllocMapped)) != 0) return kInvalidValue;
  const Range* const range =
      refuses_memory() ? nullptr : memory_map().add_host_alloc(context, bytes, (flags & kHostAllocPortable) != 0);
  if (range == nullptr) return kOutOfMemory;
  *at = range->storage;
  return kSuccess;
}

Result cuMemFreeHost(void* at) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuMemFreeHost", context); result != kSuccess) return result;
  const Result result =
      give_back("cuMemFreeHost", context, memory_map().begins_on_host(at), Origin::kHostAlloc, kInvalidValue);
  return result == kInvalidValue ? broken("handle", "cuMemFreeHost", "no such allocation: freed before, or never made")
                                 : result;
}

Result cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned flags) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuMemHostRegister", context); result != kSuccess) return result;
  if (at == nullptr || bytes == 0 || (flags & ~(kRegisterPortable | kRegisterMapped | kRegisterReadOnly)) != 0)
    return kInvalidValue;
  const bool read_only = (flags & kRegisterReadOnly) != 0;
  if (read_only && options().no_read_only) return kNotSupported;
  if (++driver().registrations == options().fail.registration) return kOutOfMemory;
  const Pages pages = doubles::pages_of(at, bytes);
  if (pages == Pages::kUnmapped || (pages == Pages::kReadOnly && !read_only)) return kInvalidValue;
  const Range* const range = memory_map().add_registered(context, at, bytes, (flags & kRegisterPortable) != 0,
                                                         read_only, !options().ignore.registration);
  return range == nullptr ? kHostMemoryAlreadyRegistered : kSuccess;
}

Result cuMemHostUnregister(void* at) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuMemHostUnregister", context); result != kSuccess) return result;
  return give_back("cuMemHostUnregister", context, memory_map().begins_on_host(at), Origin::kRegistered,
                   kHostMemoryNotRegistered);
}

Result cuMemHostGetDevicePointer_v2(DevicePtr* at, void* host, unsigned flags) {
  ContextState* context = nullptr;
  if (const Result result = enter("cuMemHostGetDevicePointer", context); result != kSuccess) return result;
  if (at == nullptr || flags != 0) return kInvalidValue;
  const Range* const range = memory_map().on_host(context, host, 1);
  if (range == nullptr) return kInvalidValue;
  *at = range->device + static_cast<std::uint64_t>(static_cast<std::byte*>(host) - range->storage);
  return kSuccess;
}

Result cuMemcpyDtoH_v2(void* to, DevicePtr from, std::size_t bytes) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuMemcpyDtoH", context); result != kSuccess) return result;
  const Range* const range = memory_map().on_device(context, from, bytes);
  if (to == nullptr || range == nullptr) return kInvalidValue;
  std::memcpy(to, range->storage + (from - range->device), bytes);
  return kSuccess;
}

}  // namespace woa::cuda
