// What the host tells every controller on its control channel: the oldest instance in flight, and that the run has
// ended.
//
// One thread; no allocation after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/controller/bells.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/stats.h"
#include "runtime/controller/wiring.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

class News {
 public:
  // Everything outlives it.
  News(const Plan& plan, const Layout& layout, Wiring& wiring, Bells& bells, ControllerStats& stats)
      : layout_(layout),
        wiring_(wiring),
        bells_(bells),
        stats_(stats),
        told_oldest_(layout.control_of.size(), 0),
        awaits_retirement_(awaiting_retirement(plan)),
        told_end_(layout.control_of.size(), false) {}

  // Tells `oldest` to all who need to know, have read what they were told before and not heard of it. Returns to how
  // many.
  std::size_t tell_oldest(std::uint64_t oldest) noexcept;
  // True if a controller that needs to know must read earlier news before it hears of `oldest`.
  [[nodiscard]] bool waits(std::uint64_t oldest) const noexcept;
  // Tells all that the run has ended. False: some channel has no place yet.
  [[nodiscard]] bool tell_end() noexcept;

 private:
  [[nodiscard]] static std::vector<bool> awaiting_retirement(const Plan& plan);
  [[nodiscard]] bool needs(std::uint32_t controller, std::uint64_t oldest) const noexcept;
  [[nodiscard]] bool tell(std::uint32_t controller, PacketKind kind, std::uint64_t instance) noexcept;

  const Layout& layout_;
  Wiring& wiring_;
  Bells& bells_;
  ControllerStats& stats_;
  std::vector<std::uint64_t> told_oldest_;  // by controller, like the next two
  std::vector<bool> awaits_retirement_;     // it may keep tokens until their instance has retired
  std::vector<bool> told_end_;
};

}  // namespace woa
