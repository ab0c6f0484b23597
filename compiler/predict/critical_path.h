// The longest way through a plan: what one instance takes if whatever may run side by side does.
#pragma once

#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/problem.h"

namespace woa {

// What something takes, and how much of it is kernels' and how many messages, in millionths.
struct Way {
  assign::Sum ps = 0, kernels_ps = 0, hops = 0;
  Way operator+(const Way& next) const { return {ps + next.ps, kernels_ps + next.kernels_ps, hops + next.hops}; }
};

// From the source to the end of the sink, of the courses that an instance may take in the mean. A stage waits for the
// last of its input ports. Of a port's writers one writes: it waits as long as for each, by how often that one does. A
// gather waits for the last of them. Stages of a loop run one after another, in all its turns, and so do the elements
// of a scatter at one stage.
//
// `stages` and `edges`: what all firings and tokens of each take in an instance. `plan`: has costs for each of them.
Way critical_path(const Plan& plan, const CostTable& costs, const std::vector<Way>& stages,
                  const std::vector<Way>& edges);

}  // namespace woa
