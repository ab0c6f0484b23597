// Self-timed execution of a pipeline: many instances, one after the other, each job as soon as it may.
//
// A discrete-event simulation without chance: the same pipeline always runs the same. Jobs are not preempted; of those
// that wait for a worker of a station, or a core of its pool, that of the oldest instance is first. At most `window`
// instances are in flight. A job that writes starts when each of its edges has blocks for its instance by rule 8: the
// oldest instance in flight, as its controller has last heard, always finds its own; the others share what is left.
//
// Sizing buffers by the throughput of such an execution is from S. Stuijk, M. Geilen, T. Basten, "Exploring trade-offs
// in buffer requirements and throughput constraints for synchronous dataflow graphs", DAC 2006. Little's law gives the
// mean number of instances that hold blocks: J. D. C. Little, "A proof for the queuing formula: L = λW", Operations
// Research 9(3), 1961; the execution gives the peaks, too.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/solver/cost.h"
#include "compiler/predict/pipeline.h"
#include "runtime/base/status.h"

namespace woa {

struct PipelinedRun {
  // The least time P between two instances that it keeps up with (in whole ps, rounded up): with one due every P, the
  // last third of its instances is no later than the third before, at their ends and at all starts of writing stages.
  // Ends alone would not show a stage that falls behind for as long as its earlier output lasts.
  Sum period_ps = 0;
  // By edge: the fewest instances with whose blocks it would have run exactly the same; at least 1.
  std::vector<std::uint32_t> room;
  std::uint64_t steps = 0;  // jobs that ended: the work of this execution
};

// `room`: by edge, the instances that it has blocks for, at least 1. kInvalid: it deadlocks, since jobs wait for each
// other: the plan has a cycle that is no loop.
Result<PipelinedRun> run_pipelined(const Pipeline& pipeline, const std::vector<std::uint32_t>& room);

}  // namespace woa
