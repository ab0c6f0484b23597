// Self-timed execution of a pipeline: many instances, one after the other, each job as soon as it may.
//
// Discrete events, without chance, so that the same pipeline always runs the same. Jobs are not interrupted; of those
// that wait for a lane of a station, or a core of its pool, that of the oldest instance is first. At most `window`
// instances are in flight. A job that writes starts when each of its edges has blocks for its instance by rule 8: the
// instance that is the oldest in flight, as far as its controller has heard, always finds those that are its own, the
// others share what is left.
//
// That buffers may be sized by what such an execution reaches is from S. Stuijk, M. Geilen, T. Basten, "Exploring
// trade-offs in buffer requirements and throughput constraints for synchronous dataflow graphs", DAC 2006. How many
// instances hold blocks in the mean is Little's law: J. D. C. Little, "A proof for the queuing formula: L = λW",
// Operations Research 9(3), 1961; the execution has the peaks, too.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/solver/problem.h"
#include "compiler/predict/pipeline.h"
#include "runtime/base/status.h"

namespace woa {

struct PipelinedRun {
  // The least time between two instances that it keeps up with (in whole ps, rounded up): with one every P, the last
  // third of its instances ends no later than the third before, and no stage starts later with them. A stage that falls
  // behind is not seen at the end for as long as what it has written before lasts.
  assign::Sum period_ps = 0;
  // By edge: with blocks for so many instances, and no fewer, it would have been the very same; at least 1.
  std::vector<std::uint32_t> room;
  std::uint64_t steps = 0;  // jobs that ended: what it took to find out
};

// `room`: by edge, the instances that it has blocks for, 1 at least. kInvalid: it stands still, since jobs wait for
// each other: the plan has a cycle that is no loop.
Result<PipelinedRun> run_pipelined(const Pipeline& pipeline, const std::vector<std::uint32_t>& room);

}  // namespace woa
