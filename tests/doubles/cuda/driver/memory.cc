#include "tests/doubles/cuda/driver/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "tests/doubles/cuda/driver/options.h"

namespace woa::cuda_double {
namespace {

constexpr std::size_t kRedzone = 64 << 10;  // on both sides of a range: an overrun meets no other range
constexpr std::size_t kPage = 4 << 10;
constexpr int kFresh = 0xa5;  // a kernel that reads what nobody wrote does not find zeros

std::size_t in_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
std::size_t on_device_bytes(std::size_t bytes) { return (bytes + 511) / 512 * 512; }
std::uint64_t number(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

// Addresses that nothing else has, and that the host cannot touch.
std::uint64_t take_addresses(std::size_t bytes) {
  void* const at =
      mmap(nullptr, in_pages(bytes) + 2 * kRedzone, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? 0 : number(at) + kRedzone;
}
void give_addresses(std::uint64_t at, std::size_t bytes) {
  munmap(reinterpret_cast<void*>(at - kRedzone), in_pages(bytes) + 2 * kRedzone);
}

std::byte* take_storage(std::size_t bytes) {
  void* const at = std::aligned_alloc(kPage, in_pages(bytes));
  if (at != nullptr) std::memset(at, kFresh, bytes);
  return static_cast<std::byte*>(at);
}

}  // namespace

void Uses::add(Range* range) {
  range->users.fetch_add(1, std::memory_order_relaxed);
  ranges_.push_back(range);
}

void Uses::end() {
  for (Range* range : ranges_) range->users.fetch_sub(1, std::memory_order_relaxed);
  ranges_.clear();
}

void MemoryMap::insert(Range* range, bool reachable) {
  ever_.emplace_back(range);
  const bool host = range->origin == Origin::kHostAlloc || range->origin == Origin::kRegistered;
  if (reachable) by_device_[range->device] = range;
  if (host) by_host_[number(range->storage)] = range;
  if (range->origin == Origin::kDevice) device_bytes_ += on_device_bytes(range->bytes);
}

Range* MemoryMap::add_device(const ContextState* context, std::size_t bytes, Origin origin) {
  const std::unique_lock lock(mutex_);
  if (origin == Origin::kDevice && device_bytes_ + on_device_bytes(bytes) > options().memory_bytes) return nullptr;
  const std::uint64_t device = take_addresses(bytes);
  std::byte* const storage = device == 0 ? nullptr : take_storage(bytes);
  if (storage == nullptr) return nullptr;
  auto* const range = new Range;
  range->origin = origin;
  range->context = context;
  range->device = device;
  range->storage = storage;
  range->bytes = bytes;
  insert(range, true);
  return range;
}

Range* MemoryMap::add_host_alloc(const ContextState* context, std::size_t bytes, bool portable) {
  std::byte* const storage = take_storage(bytes);
  if (storage == nullptr) return nullptr;
  const std::unique_lock lock(mutex_);
  auto* const range = new Range;
  range->origin = Origin::kHostAlloc;
  range->context = context;
  range->portable = portable;
  range->device = number(storage);
  range->storage = storage;
  range->bytes = bytes;
  insert(range, true);
  return range;
}

bool MemoryMap::overlaps_host(std::uint64_t begin, std::size_t bytes) {
  auto next = by_host_.lower_bound(begin);
  if (next != by_host_.end() && next->first < begin + bytes) return true;
  return next != by_host_.begin() && (--next)->first + next->second->bytes > begin;
}

Range* MemoryMap::add_registered(const ContextState* context, void* at, std::size_t bytes, bool portable,
                                 bool read_only, bool reachable) {
  const std::unique_lock lock(mutex_);
  if (overlaps_host(number(at), bytes)) return nullptr;
  auto* const range = new Range;
  range->origin = Origin::kRegistered;
  range->context = context;
  range->portable = portable;
  range->read_only = read_only;
  // The place in its page is the same on the device, as it is with a real one.
  range->device = take_addresses(bytes + kPage) + number(at) % kPage;
  range->storage = static_cast<std::byte*>(at);
  range->bytes = bytes;
  insert(range, reachable);
  return range;
}

void MemoryMap::remove(Range* range) {
  const std::unique_lock lock(mutex_);
  by_device_.erase(range->device);
  switch (range->origin) {
    case Origin::kDevice: device_bytes_ -= on_device_bytes(range->bytes); [[fallthrough]];
    case Origin::kVariable:
      give_addresses(range->device, range->bytes);
      std::free(range->storage);
      break;
    case Origin::kHostAlloc:
      by_host_.erase(number(range->storage));
      std::free(range->storage);
      break;
    case Origin::kRegistered:
      by_host_.erase(number(range->storage));
      give_addresses(range->device / kPage * kPage, range->bytes + kPage);
  }
  range->storage = nullptr;
}

void MemoryMap::remove_all_of(const ContextState* context) {
  for (const Range* range : all_of(context)) remove(const_cast<Range*>(range));
}

Range* MemoryMap::find(const Ranges& ranges, std::uint64_t address, std::size_t bytes, bool host) {
  auto next = ranges.upper_bound(address);
  if (next == ranges.begin()) return nullptr;
  Range* const range = (--next)->second;
  const std::uint64_t begin = host ? number(range->storage) : range->device;
  return address - begin <= range->bytes && bytes <= range->bytes - (address - begin) ? range : nullptr;
}

Range* MemoryMap::on_device(const ContextState* context, std::uint64_t address, std::size_t bytes) {
  const std::shared_lock lock(mutex_);
  Range* const range = find(by_device_, address, bytes, false);
  return range != nullptr && (range->context == context || range->portable) ? range : nullptr;
}

Range* MemoryMap::on_host(const ContextState* context, const void* at, std::size_t bytes) {
  const std::shared_lock lock(mutex_);
  Range* const range = find(by_host_, number(at), bytes, true);
  return range != nullptr && (range->context == context || range->portable) ? range : nullptr;
}

Range* MemoryMap::begins_on_device(std::uint64_t address) {
  const std::shared_lock lock(mutex_);
  const auto found = by_device_.find(address);
  return found == by_device_.end() ? nullptr : found->second;
}

Range* MemoryMap::begins_on_host(const void* at) {
  const std::shared_lock lock(mutex_);
  const auto found = by_host_.find(number(at));
  return found == by_host_.end() ? nullptr : found->second;
}

std::vector<const Range*> MemoryMap::all_of(const ContextState* context) {
  const std::shared_lock lock(mutex_);
  std::vector<const Range*> all;
  for (const auto& range : ever_)
    if (range->context == context && range->storage != nullptr) all.push_back(range.get());
  return all;
}

std::size_t MemoryMap::free_bytes() {
  const std::shared_lock lock(mutex_);
  return options().memory_bytes - device_bytes_;
}

MemoryMap& memory_map() {
  static MemoryMap* const map = new MemoryMap;  // never destroyed: threads of streams may outlive `main`
  return *map;
}

ptx::Extent View::find(std::uint64_t address) noexcept {
  const Range* const range = memory_map().on_device(context_, address, 1);
  if (range == nullptr) return {};
  return {.address = range->device, .bytes = range->bytes, .memory = range->storage, .store = !range->read_only};
}

}  // namespace woa::cuda_double
