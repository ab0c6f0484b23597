// Requests for room that others could give. A controller that passes blocks on hands them back to their owner, but
// need not wake for each: an owner that waits says so, and the word travels on to whoever may hold the blocks. Over a
// wire each message costs more than a wake-up: there a consumer keeps what it could give back until its producer waits.
//
// In a loop of three or more such controllers the word may outlive its cause. They then wake for each block.
//
// One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/controller/wiring.h"

namespace woa {

class RoomRequests {
 public:
  // `wiring` outlives it.
  RoomRequests(const Plan& plan, const Layout& layout, std::uint32_t controller, const Wiring& wiring);

  // True if a producer waits for blocks that this controller passes on.
  [[nodiscard]] bool any() const noexcept;
  // Tells those that pass this controller's blocks on, and all behind wires, whether it waits. They wake when it begins
  // to.
  void tell(bool waits) noexcept;

 private:
  std::vector<const Receiver*> producers_;
  std::vector<Sender*> consumers_;
  std::vector<Sender*> consumers_by_wire_;
  Receiver* host_by_wire_ = nullptr;  // which knows the oldest instance; null: it shares memory
  bool told_ = false;
};

}  // namespace woa
