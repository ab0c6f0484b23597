// Ends the process at a step of the protocol. Internal to the fault transport.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "runtime/transport/fault/fault_plan.h"
#include "runtime/transport/ring_layout.h"

namespace woa {

// Of one end; does nothing unless it has a plan. The steps inside a commit or a return are acted out: what the ring's
// own end would have written by then is written here (HeaderSlot::publish, ReturnSlot::publish). The words before the
// one that publishes may become visible in any order.
class KillSwitch {
 public:
  KillSwitch() = default;
  // `shared`: the memory in which both ends meet, a ring of `spec`; null where a transport has none, and then a death
  // inside a commit or a return leaves nothing of it.
  KillSwitch(const FaultPlan& plan, const ChannelSpec& spec, std::unique_ptr<Mapping> shared);

  void reached(ProtocolStep step) noexcept {
    if (plan_ && due(step)) die();
  }
  // The commit of `header` as packet `sequence`, up to its publication.
  void at_commit(const ActivationPacket& header, std::span<const std::byte> inline_payload,
                 std::uint32_t sequence) noexcept {
    if (plan_) act_commit(header, inline_payload, sequence);
  }
  // The return of `block` as number `turn`, up to its publication.
  void at_return(const BlockReturn& block, std::uint32_t turn) noexcept {
    if (plan_) act_return(block, turn);
  }

 private:
  [[nodiscard]] bool due(ProtocolStep step) noexcept;
  [[noreturn]] static void die() noexcept;
  void act_commit(const ActivationPacket& header, std::span<const std::byte> inline_payload,
                  std::uint32_t sequence) noexcept;
  void act_return(const BlockReturn& block, std::uint32_t turn) noexcept;

  std::optional<FaultPlan> plan_;
  std::uint64_t seen_ = 0;  // times that the plan's step was reached
  std::unique_ptr<Mapping> shared_;
  std::optional<ChannelView> channel_;
};

}  // namespace woa
