// The fewest blocks with which a plan's pipeline keeps up with a wanted throughput, found by executing it
// (pipelined_run.h).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/cost.h"
#include "runtime/base/status.h"

namespace woa {

// A run keeps up with a period that it misses by at most 1/kPeriodTolerance: no profile is more exact.
inline constexpr std::int64_t kPeriodTolerance = 1000;
// Jobs of all executions after the first, together. A search that needs more returns what it has by then.
inline constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 23;

struct PipelinedRun;

struct ThroughputBlocks {
  std::vector<std::uint32_t> blocks;  // by edge
  std::vector<std::uint32_t> room;    // by edge: instances for which these suffice
  // Time between two instances: --max-period, else the longer of PERIOD and the time in which the host writes inputs.
  Sum wanted_ps = 0;
  Sum period_ps = 0;  // reached
  // True: with room for one instance less on any single edge, the wanted period is missed. Excepted are edges without
  // memory of their own and edges at their minimum (rule 8, and one block for a second instance).
  bool least = false;
};

// Sizes the blocks of a plan that has passed validate() and verify_certificate(). Never gives more blocks than the plan
// has.
//
// The first execution has the plan's blocks: the most that it holds at once suffices to repeat it exactly. Then edges
// get fewer blocks, those with most bytes first, while the wanted period is reached and kMostSteps last. kExhausted:
// all blocks are not enough (the message names a remedy). kUnsupported: the plan was placed for another call model than
// `woa`, or is to run under another, whose relays' blocks are in no plan file; or as make_pipeline(). kInvalid: as
// run_pipelined().
Result<ThroughputBlocks> blocks_for_throughput(const CertifiedPlan& plan);

// True if the run's period exceeds `wanted_ps` by at most 1/kPeriodTolerance.
bool keeps_up(const PipelinedRun& run, Sum wanted_ps) noexcept;

}  // namespace woa
