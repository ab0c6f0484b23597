// What packets and firings ask of the plan, the layout and the wiring: looked up once at start, and kept as a hop reads
// it. Read-only afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/divisor.h"
#include "runtime/controller/layout.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/plan/plan.h"

namespace woa {

// A region's payload memory as this process sees it; empty if this controller neither writes nor reads it.
class RegionView {
 public:
  RegionView(const RegionLayout& layout, std::span<std::byte> memory) noexcept;

  // Does the activation name a block of this region, and fit it?
  [[nodiscard]] bool holds(const ActivationPacket& packet) const noexcept {
    const std::uint32_t at = packet.offset - room_;  // below the first block's it wraps, beyond the end
    return at < end_ && packet.payload_bytes <= block_bytes_ && units_.quotient(at) * units_.value() == at;
  }
  [[nodiscard]] std::span<std::byte> payload(const ActivationPacket& packet) const noexcept {
    return block(packet).first(packet.payload_bytes);
  }
  [[nodiscard]] std::span<std::byte> block(const ActivationPacket& packet) const noexcept {
    return memory_.subspan(std::size_t{packet.offset} * kOffsetUnitBytes, block_bytes_);
  }

 private:
  std::span<std::byte> memory_;
  std::uint64_t block_bytes_;
  std::uint32_t room_;  // in units of 64 bytes, like the next: in front of the first block
  std::uint64_t end_;   // of the blocks, counted from the first
  Divisor units_;       // from block to block
};

struct InputEdge {
  std::uint32_t edge = 0;
  std::uint32_t channel = 0;               // that its packets come by
  std::uint32_t inline_bytes = 0;          // that its tokens may carry
  std::span<const std::uint16_t> regions;  // that its packets may name
  bool count = false;                      // it brings counts, not tokens
  std::uint32_t origin = kNoStage;         // of these: the stage that sends them
};

struct StageView {
  bool local = false;   // a stage of this controller; the rest is empty if not
  bool single = false;  // its matches are one token each, which may start in any order
  // Of a stage in a scatter that keeps state of an instance: the bits of the tag that number elements, which it must
  // take one after the other. Of all others 0.
  std::uint64_t number = 0;
  std::vector<std::vector<InputEdge>> inputs;       // by input port
  std::vector<std::vector<std::uint32_t>> groups;   // of output ports: a firing writes exactly one of each (rule 2)
  std::vector<std::vector<const LoopPlan*>> loops;  // by output port: whose next turn its edges take
};

class StageTable {
 public:
  // Plan and layout outlive the table. `regions`: by region, as this process maps them.
  StageTable(const Plan& plan, const Layout& layout, std::uint32_t controller,
             std::span<const std::span<std::byte>> regions);

  [[nodiscard]] const StageView& operator[](std::uint32_t stage) const noexcept { return stages_[stage]; }
  [[nodiscard]] const RegionView& region(std::uint16_t region) const noexcept { return regions_[region]; }
  // The edge that an activation, a count or poison on `channel` came by; null if the plan has none such. With an edge,
  // an activation's region exists.
  [[nodiscard]] const InputEdge* edge_of(std::uint32_t channel, const ActivationPacket& packet) const noexcept;

 private:
  void number_elements(const Plan& plan);

  std::vector<StageView> stages_;
  std::vector<RegionView> regions_;
};

}  // namespace woa
