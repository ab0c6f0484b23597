// Registrations of memory that belongs to the program, kept for when the same memory comes again: a bounded number of a
// bounded size.
//
// What is kept must not outlive what it stands for: a program may give memory back to the system and get other pages at
// the same addresses. Where a provider resolves addresses when a write comes (it does not ask for FI_MR_ALLOCATED), a
// registration stands for the addresses, and stays right. Where it pins pages, nothing is kept here after its use: such
// providers (verbs, efa, cxi) have libfabric's own cache below fi_mr_reg, which watches the system unmap memory, and is
// bounded by FI_MR_CACHE_MAX_COUNT and FI_MR_CACHE_MAX_SIZE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/transport/ofi/fabric.h"

namespace woa::ofi {

struct RegistrationLimits {
  std::size_t count = 16;
  std::uint64_t bytes = 1U << 30;
};

// One thread at a time. `fabric` outlives it.
class RegistrationCache {
 public:
  enum class Keep : bool { kNever, kWithinLimits };

  RegistrationCache(Fabric& fabric, RemoteAccess access, const RegistrationLimits& limits);
  // As the provider allows it: see above.
  RegistrationCache(Fabric& fabric, RemoteAccess access, const RegistrationLimits& limits, Keep keep);
  ~RegistrationCache();  // whatever is still held
  RegistrationCache(const RegistrationCache&) = delete;
  RegistrationCache& operator=(const RegistrationCache&) = delete;

  // A registration that covers `memory`, which is held until release(), and not dropped before. Those that are not held
  // are dropped for it, the one that was used longest ago first. Null: the provider refuses, or what is held leaves no
  // room within the limits, and then none is dropped.
  [[nodiscard]] const Registration* hold(std::span<std::byte> memory) noexcept;
  void release(const Registration* held) noexcept;
  // Drops what is not held and lies in `memory`, if only in part.
  void forget(std::span<const std::byte> memory) noexcept;

  [[nodiscard]] std::size_t count() const noexcept { return entries_.size(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Entry {
    std::span<std::byte> memory;
    std::unique_ptr<Registration> registration;
    std::uint32_t holders = 0;
    std::uint64_t last_use = 0;
  };
  [[nodiscard]] bool make_room(std::uint64_t bytes) noexcept;
  void drop(std::size_t at) noexcept;

  Fabric& fabric_;
  const RemoteAccess access_;
  const RegistrationLimits limits_;
  const Keep keep_;
  std::vector<Entry> entries_;
  std::uint64_t bytes_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace woa::ofi
