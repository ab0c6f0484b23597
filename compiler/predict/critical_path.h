// The critical path of a plan: the time of one instance if everything that may run in parallel does.
#pragma once

#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/cost.h"

namespace woa {

// The time of a path, the kernels' part of it, and its messages (hops, in millionths).
struct Way {
  Sum ps = 0, kernels_ps = 0, hops = 0;
  Way operator+(const Way& next) const { return {ps + next.ps, kernels_ps + next.kernels_ps, hops + next.hops}; }
};

// From the source to the end of the sink, mean over the courses that an instance may take. A stage waits for the last
// of its input ports. One of a port's writers writes: the wait is the mean over the writers, by how often each does. A
// gather waits for the last of its writers. Stages of a loop run one after another, in all its turns, and so do the
// elements of a scatter at one stage.
//
// `stages`, `edges`: paths of all firings and tokens of each in an instance. `costs` covers each of `plan`.
Way critical_path(const Plan& plan, const CostTable& costs, const std::vector<Way>& stages,
                  const std::vector<Way>& edges);

}  // namespace woa
