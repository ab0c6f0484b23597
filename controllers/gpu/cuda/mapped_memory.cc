#include "controllers/gpu/cuda/mapped_memory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/base/log.h"
#include "runtime/base/quantities.h"

namespace woa {
namespace {

// For a registration that failed: how to mend it.
const char* advice(cuda::Result code) {
  if (code == cuda::kOutOfMemory) return "; allow locked memory (ulimit -l unlimited), or free memory of the host";
  if (code == cuda::kHostMemoryAlreadyRegistered) return "; another part of this process registered it: end that first";
  return "; the kernel's log (dmesg) may tell more";
}

// Registrations of this process. The driver refuses memory that is registered already, and several controllers may
// use the same. The first one's context lives until the last has released it.
class Registrations {
 public:
  Status add(std::shared_ptr<const CudaContext> context, std::span<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[bytes.data()];
    if (entry.users == 0) {
      if (const auto code = context->cuda().host_register(bytes.data(), bytes.size(), kFlags); code != cuda::kSuccess) {
        entries_.erase(bytes.data());
        const Status failure = cuda_status("cuMemHostRegister of " + bytes_text(bytes.size()), code);
        return {failure.code(), failure.message() + advice(code)};
      }
      entry = {std::move(context), bytes.size(), 0};
    } else if (entry.bytes != bytes.size()) {
      return {Code::kInternal, "another controller of this process registered " + bytes_text(entry.bytes) + " there"};
    }
    ++entry.users;
    return {};
  }
  void remove(std::byte* at) noexcept {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(at);
    if (entry == entries_.end() || --entry->second.users > 0) return;
    entry->second.context->make_current();
    entry->second.context->cuda().host_unregister(at);
    entries_.erase(entry);
  }

 private:
  // For writing, too: the process can write there, and another controller may be the one that does.
  static constexpr unsigned kFlags = cuda::kRegisterPortable | cuda::kRegisterMapped;
  struct Entry {
    std::shared_ptr<const CudaContext> context;
    std::size_t bytes = 0;
    std::uint32_t users = 0;
  };
  std::mutex mutex_;
  std::map<std::byte*, Entry> entries_;  // by the first byte
};

Registrations& registrations() {
  static Registrations all;
  return all;
}

}  // namespace

Result<RegionNumbers> MappedMemory::map(std::shared_ptr<const CudaContext> context, const CudaDevice& device,
                                        std::span<const BackendMapping> mappings) {
  RegionNumbers staged;
  parts_.reserve(mappings.size());
  for (const BackendMapping& mapping : mappings) {
    Part part{mapping.bytes, {}, mapping.stages};
    if (!mapping.region) part.place.ring = rings_++;
    if (mapping.may_register && device.registers_memory && !mapping.bytes.empty()) {
      Status status = registrations().add(context, mapping.bytes);
      if (status.ok()) {
        status = cuda_status("cuMemHostGetDevicePointer",
                             context->cuda().host_device_pointer(&part.place.device, mapping.bytes.data(), 0));
        if (!status.ok()) registrations().remove(mapping.bytes.data());
      }
      status = status.ok() ? status : status.with_context(mapping.what);
      if (!status.ok() && mapping.region)
        log(LogLevel::kWarning, status.message() + "; the host copies these payloads, which takes longer");
      else if (!status.ok())
        return status;
    } else if (!mapping.region) {
      return {Code::kUnsupported, mapping.what + ": the device registers no memory of the host"};
    }
    if (mapping.region && part.place.device == 0) staged.push_back(*mapping.region);
    parts_.push_back(std::move(part));
  }
  std::ranges::sort(parts_, {}, [](const Part& part) { return part.bytes.data(); });
  return staged;
}

void MappedMemory::release() noexcept {
  for (const Part& part : parts_)
    if (part.place.device != 0) registrations().remove(part.bytes.data());
  parts_.clear();
}

MappedMemory::Place MappedMemory::find(const void* data, std::size_t bytes) const noexcept {
  const auto* const at = static_cast<const std::byte*>(data);
  const auto behind = std::ranges::upper_bound(parts_, at, std::less<>(),
                                               [](const Part& part) -> const std::byte* { return part.bytes.data(); });
  if (behind == parts_.begin()) return {};
  const Part& part = *std::prev(behind);
  const auto offset = static_cast<std::size_t>(at - part.bytes.data());
  if (offset + bytes > part.bytes.size() || part.place.device == 0) return {};
  return {part.place.device + offset, part.place.ring};
}

bool MappedMemory::is_registered_for(std::uint32_t stage) const noexcept {
  return std::ranges::none_of(parts_, [&](const Part& part) {
    return part.place.device == 0 && std::ranges::find(part.stages, stage) != part.stages.end();
  });
}

}  // namespace woa
