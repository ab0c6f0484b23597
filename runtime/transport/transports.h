// What carries a run's packets.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/transport/shared_memory.h"
#include "runtime/transport/wire.h"

namespace woa {

// Transports are the owner's, and outlive what is built on them.
struct Transports {
  SharedMemory* shared = nullptr;
  std::vector<Wire*> wires = {};  // by number; none: all share memory
  // Of regions whose payloads take a wire; 0: there is none.
  [[nodiscard]] std::uint32_t header_room() const noexcept { return wires.empty() ? 0 : kHeaderRoom; }
  // Wire::packets() of each.
  [[nodiscard]] std::vector<std::uint64_t> packets() const {
    std::vector<std::uint64_t> counts;
    for (const Wire* wire : wires) counts.push_back(wire->packets());
    return counts;
  }
};

}  // namespace woa
