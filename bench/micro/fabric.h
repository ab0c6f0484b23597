// Benchmarks of the fabric itself, on real controllers in processes of their own with kernels that do next to nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/peers/peer.h"
#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

struct HopOptions {
  static constexpr std::uint64_t kLeastBytes = 8, kMostBytes = 120;  // the token has a counter; a mailbox two lines
  std::vector<std::uint64_t> sizes{64};                              // bytes of the activation, which go inline
  std::uint64_t count = 200'000;                                     // hops of a launch
  std::uint64_t repetitions = 11;
  PeerFolder peers = {};
};

// One small activation from controller to controller (commit, poll, match, fire), in ns, beside the raw mailbox and
// peers: two pinned processes and a token that goes to and fro.
Result<Report> bench_hop(const RunOptions& options, const HopOptions& chosen);
// bench_hop() with 64 tokens at once, so that both sides are always busy, in million packets a second.
Result<Report> bench_busy(const RunOptions& options, std::uint64_t packets, std::uint64_t repetitions);
// Share of one core, in percent, that an idle run takes: two controllers and a source that never sends, for `seconds`.
Result<Report> bench_idle(const RunOptions& options, double seconds);
// 64 KiB through three `copy` stages: how much the processes' memory (PSS, KiB) grew between instance 1,000 and the
// last.
Result<Report> bench_memory(const RunOptions& options, std::uint64_t instances);

}  // namespace woa::bench
