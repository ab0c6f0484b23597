// Memory that a fabric may write from and into.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/transport/ofi/fabric_objects.h"

namespace woa::ofi {

// Deregistered by the destructor; goes before the fabric, and before the memory.
class Registration {
 public:
  // Serves every mode of registration that open_fabric() offers: allocates the pages first where the provider wants
  // them (FI_MR_ALLOCATED), binds to the endpoint (FI_MR_ENDPOINT), and lets the provider choose the key
  // (FI_MR_PROV_KEY). Otherwise the key is random, so that a stranger who finds the endpoint cannot guess it.
  // kExhausted with libfabric's reason. `memory` is page-aligned.
  static Result<Registration> make(const FabricObjects& objects, std::span<std::byte> memory);

  // What peers need: `base` is the address that offset 0 has for them (FI_MR_VIRT_ADDR), or 0.
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] std::uint64_t key() const noexcept { return fi_mr_key(region_.get()); }
  // What local writes from this memory need (FI_MR_LOCAL).
  [[nodiscard]] void* descriptor() const noexcept { return fi_mr_desc(region_.get()); }

 private:
  Registration(Owned<fid_mr> region, std::uint64_t base) : region_(std::move(region)), base_(base) {}
  Owned<fid_mr> region_;
  std::uint64_t base_;
};

}  // namespace woa::ofi
