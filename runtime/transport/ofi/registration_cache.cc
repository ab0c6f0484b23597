#include "runtime/transport/ofi/registration_cache.h"

#include <algorithm>

namespace woa::ofi {
namespace {

bool covers(std::span<const std::byte> one, std::span<const std::byte> other) noexcept {
  return one.data() <= other.data() && other.data() + other.size() <= one.data() + one.size();
}

bool overlap(std::span<const std::byte> one, std::span<const std::byte> other) noexcept {
  return one.data() < other.data() + other.size() && other.data() < one.data() + one.size();
}

}  // namespace

RegistrationCache::RegistrationCache(Fabric& fabric, RemoteAccess access, const RegistrationLimits& limits)
    : RegistrationCache(fabric, access, limits,
                        fabric.objects().granted(FI_MR_ALLOCATED) ? Keep::kNever : Keep::kWithinLimits) {}

RegistrationCache::RegistrationCache(Fabric& fabric, RemoteAccess access, const RegistrationLimits& limits, Keep keep)
    : fabric_(fabric), access_(access), limits_(limits), keep_(keep) {
  entries_.reserve(limits.count);
}

RegistrationCache::~RegistrationCache() {
  while (!entries_.empty()) drop(entries_.size() - 1);
}

const Registration* RegistrationCache::hold(std::span<std::byte> memory) noexcept {
  auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return covers(entry.memory, memory); });
  if (found == entries_.end()) {
    if (!make_room(memory.size())) return nullptr;
    auto made = fabric_.register_memory(memory, access_);
    if (!made.ok()) return nullptr;
    entries_.push_back({memory, std::make_unique<Registration>(std::move(*made)), 0, 0});
    bytes_ += memory.size();
    found = entries_.end() - 1;
  }
  ++found->holders;
  found->last_use = ++uses_;
  return found->registration.get();
}

void RegistrationCache::release(const Registration* held) noexcept {
  for (std::size_t at = 0; at < entries_.size(); ++at) {
    if (entries_[at].registration.get() != held) continue;
    if (--entries_[at].holders == 0 && keep_ == Keep::kNever) drop(at);
    return;
  }
}

void RegistrationCache::forget(std::span<const std::byte> memory) noexcept {
  for (std::size_t at = entries_.size(); at-- > 0;)
    if (entries_[at].holders == 0 && overlap(entries_[at].memory, memory)) drop(at);
}

bool RegistrationCache::make_room(std::uint64_t bytes) noexcept {
  std::size_t held = 0;
  std::uint64_t held_bytes = 0;
  for (const Entry& entry : entries_)
    if (entry.holders != 0) ++held, held_bytes += entry.memory.size();
  if (held + 1 > limits_.count || held_bytes + bytes > limits_.bytes) return false;  // before anything is dropped
  while (entries_.size() + 1 > limits_.count || bytes_ + bytes > limits_.bytes) {
    const auto oldest = std::ranges::min_element(
        entries_, {}, [](const Entry& entry) { return entry.holders != 0 ? ~std::uint64_t{0} : entry.last_use; });
    drop(static_cast<std::size_t>(oldest - entries_.begin()));
  }
  return true;
}

void RegistrationCache::drop(std::size_t at) noexcept {
  bytes_ -= entries_[at].memory.size();
  fabric_.deregister(std::move(*entries_[at].registration));
  std::swap(entries_[at], entries_.back());
  entries_.pop_back();
}

}  // namespace woa::ofi
