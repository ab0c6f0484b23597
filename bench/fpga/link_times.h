// The time that a link between two stages of one card takes: by stream on the card, or over the host.
#pragma once

#include <cstdint>

namespace woa::bench {

// Cycles of runs of the kernel, each from its start to its directory.
struct LinkCycles {
  std::uint64_t size = 0;    // bytes of the payload
  std::uint64_t first = 0;   // a run of the first stage
  std::uint64_t second = 0;  // a run of the second stage, on what the first one gave
  std::uint64_t both = 0;    // one run of both, with the link between them on the card; more than `first`
};

struct CardSpeed {
  double clock_mhz = 0;
  double pcie_us = 0;  // each way between host and card
};

struct LinkTimes {
  double on_card_us = 0, over_host_us = 0;
  [[nodiscard]] double ratio() const { return over_host_us / on_card_us; }
};

// The same job by either way. Over the host: the first run, PCIe to the host, PCIe to the card, the second run.
struct ModelledTimes {
  LinkTimes link;        // from the end of a run of the first stage to the end of the second stage
  LinkTimes stages;      // from the start of the first run to the end of the second stage
  LinkTimes round_trip;  // `stages`, and PCIe to the card before and to the host after them
};

inline ModelledTimes model(const LinkCycles& cycles, const CardSpeed& speed) {
  const auto us = [&](std::uint64_t count) { return static_cast<double>(count) / speed.clock_mhz; };
  const double ways_us = 2 * speed.pcie_us;
  const LinkTimes link{us(cycles.both - cycles.first), ways_us + us(cycles.second)};
  const LinkTimes stages{us(cycles.both), us(cycles.first) + link.over_host_us};
  return {link, stages, {stages.on_card_us + ways_us, stages.over_host_us + ways_us}};
}

}  // namespace woa::bench
