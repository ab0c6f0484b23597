// A link between two stages of one card: by stream on the card, beside the way over the host.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "bench/fpga/link_times.h"
#include "runtime/base/status.h"

namespace woa::bench {

struct FpgaOptions {
  static constexpr std::uint64_t kMostBytes = 1 << 20;
  std::vector<std::uint64_t> sizes{64, 4096};  // bytes of a payload, 1 to kMostBytes
  std::optional<double> clock_mhz = {};        // of the card; none: that of the stages' kernel.yaml, the lower of both
  double pcie_us = 1;                          // each way
};

struct FpgaReport {
  CardSpeed speed;                   // assumed
  std::vector<LinkCycles> measured;  // on the RTL, one for each size
};

// Runs `copy`, then `invert`, on a model of the kernel: as one chain, and as two firings of which the second has the
// packet that the first one sent. Every payload is checked. Cycles are the same in each call. kUnavailable: this
// program has no model. kNotFound: no kernel of these names in `kernel_path`.
Result<FpgaReport> bench_fpga(const std::vector<std::filesystem::path>& kernel_path, const FpgaOptions& chosen);

}  // namespace woa::bench
