// What carries a run's packets.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/transport/transport.h"

namespace woa {

// Transports are the owner's, and outlive what is built on them.
struct Transports {
  Transport* shared = nullptr;         // where both ends map the same memory
  std::vector<Transport*> wires = {};  // where each has a replica, by number; none: all share memory
  // Transport::header_room() of every wire; 0: there is none.
  [[nodiscard]] std::uint32_t header_room() const noexcept { return wires.empty() ? 0 : wires.front()->header_room(); }
  // Transport::packets() of each wire.
  [[nodiscard]] std::vector<std::uint64_t> packets() const {
    std::vector<std::uint64_t> counts;
    for (const Transport* wire : wires) counts.push_back(wire->packets());
    return counts;
  }
};

}  // namespace woa
