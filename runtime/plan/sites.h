// The sites of a plan's controllers in one run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace woa {

// Lanes that are bound to a wire, wherever their ends are: by lane, the wire's number (Transports::wires).
using BoundLanes = std::map<std::string, std::uint32_t>;

// The controllers of one site map the same memory. A site is all that one process started on its host, or a process
// that shares nothing. Only the host's, 0, has several controllers. Packets between sites take the first wire, unless
// their lane is bound.
struct Sites {
  std::vector<std::uint32_t> of;  // by controller; absent: site 0
  std::uint32_t header_room = 0;  // in front of each block that a wire serves; 0: there is no wire
  BoundLanes lanes = {};
  bool payload_crc = true;  // for payloads that take a wire; the same on all nodes of a run
  [[nodiscard]] std::uint32_t site(std::uint32_t controller) const noexcept {
    return controller < of.size() ? of[controller] : 0;
  }
  [[nodiscard]] bool together(std::uint32_t one, std::uint32_t other) const noexcept {
    return site(one) == site(other);
  }
  // The wire that a lane takes between two controllers. None: they share memory, or are the same.
  [[nodiscard]] std::optional<std::uint32_t> wire(std::uint32_t one, std::uint32_t other,
                                                  const std::string& lane) const {
    if (one == other) return std::nullopt;
    if (const auto bound = lanes.find(lane); bound != lanes.end()) return bound->second;
    if (together(one, other)) return std::nullopt;
    return 0;
  }
};

}  // namespace woa
