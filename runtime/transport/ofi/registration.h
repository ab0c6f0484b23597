// Memory that a fabric may write from and into.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/transport/ofi/fabric_objects.h"

namespace woa::ofi {

// The rights of peers there, beside this process, which may write from it. kMessages: their messages may be put there.
enum class RemoteAccess : std::uint8_t { kNone, kWrite, kMessages };

// Deregistered by the destructor; goes before the fabric, and before the memory.
class Registration {
 public:
  // Serves every mode of registration that open_fabric() offers: allocates the pages first where the provider wants
  // them (FI_MR_ALLOCATED), binds to the endpoint (FI_MR_ENDPOINT), and lets the provider choose the key
  // (FI_MR_PROV_KEY). Otherwise the key is random, so that a stranger who finds the endpoint cannot guess it.
  // kExhausted with libfabric's reason. What peers may not change may be read-only.
  static Result<Registration> make(const FabricObjects& objects, std::span<std::byte> memory,
                                   RemoteAccess access = RemoteAccess::kWrite);

  // What peers need: `base` is the address that offset 0 has for them (FI_MR_VIRT_ADDR), or 0.
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  // What peers call a byte of the memory by.
  [[nodiscard]] std::uint64_t address_of(const std::byte* at) const noexcept {
    return base_ + static_cast<std::uint64_t>(at - memory_);
  }
  [[nodiscard]] std::uint64_t key() const noexcept { return fi_mr_key(region_.get()); }
  // What local writes from this memory need (FI_MR_LOCAL).
  [[nodiscard]] void* descriptor() const noexcept { return fi_mr_desc(region_.get()); }

 private:
  Registration(Owned<fid_mr> region, const std::byte* memory, std::uint64_t base)
      : region_(std::move(region)), memory_(memory), base_(base) {}
  Owned<fid_mr> region_;
  const std::byte* memory_;
  std::uint64_t base_;
};

}  // namespace woa::ofi
