// The fewest blocks with which a plan's pipeline keeps up with a wanted throughput, found by executing it
// (pipelined_run.h).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/problem.h"
#include "runtime/base/status.h"

namespace woa {

// A run keeps up with a period that it misses by 1 part in so many, or less: no profile knows it better.
inline constexpr std::int64_t kPeriodTolerance = 1000;
// Jobs of all executions after the first, together. Whoever has more edges gets what is known by then.
inline constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 23;

struct PipelinedRun;

struct ThroughputBlocks {
  std::vector<std::uint32_t> blocks;  // by edge
  std::vector<std::uint32_t> room;    // by edge: instances that these are enough for
  // Between two instances: the certificate's bound on the period, its PERIOD or the source's time.
  assign::Sum wanted_ps = 0;
  assign::Sum period_ps = 0;  // reached
  // With room for one instance less on any one edge that has memory of its own and more than it must have (rule 8, and
  // one block for a second instance), the wanted period is missed.
  bool least = false;
};

// Of a plan that has passed validate() and verify_certificate(). Never more blocks than the plan has.
//
// First with the blocks that the plan has: what it holds of them at once is enough for the very same execution. Then
// edges are given less, those with most bytes first, for as long as the wanted period is reached and kMostSteps last.
// kExhausted: all blocks are not enough (the message says what would be). kUnsupported: the plan was placed for another
// call model than `woa`, or is to run under another: the blocks of its relays are in no plan file; or as
// make_pipeline().
Result<ThroughputBlocks> blocks_for_throughput(const CertifiedPlan& plan);

// Whether a run keeps up with that.
bool keeps_up(const PipelinedRun& run, assign::Sum wanted_ps) noexcept;

}  // namespace woa
