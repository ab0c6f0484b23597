#include "runtime/transport/edge_credits.h"

#include <cassert>

namespace woa {

bool EdgeCredits::available(std::uint64_t instance, std::uint64_t oldest) const noexcept {
  if (total_ >= blocks_) return false;
  if (instance == oldest) return true;
  const std::uint32_t others = total_ - per_instance_[oldest % kSlots];
  return others < blocks_ - min_blocks_;
}

void EdgeCredits::take(std::uint64_t instance) noexcept {
  assert(total_ < blocks_);
  ++per_instance_[instance % kSlots];
  ++total_;
}

bool EdgeCredits::give(std::uint64_t instance) noexcept {
  std::uint32_t& occupied = per_instance_[instance % kSlots];
  if (occupied == 0) return false;
  --occupied;
  --total_;
  return true;
}

}  // namespace woa
