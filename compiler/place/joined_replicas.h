// What the stages and edges of a plan take, as those of the graph: replicas are one.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/assign/problem.h"
#include "compiler/certificate/certificate.h"
#include "compiler/place/critical_path.h"

namespace woa {

struct JoinedEdge {
  const EdgePlan* edge;    // of the plan: the first of those that are one; borrowed
  std::uint32_t from, to;  // stages, as in Joined::stages
  Way way;                 // of all tokens of an instance
  assign::Sum tokens = 0;  // in millionths
};

struct Joined {
  std::vector<std::uint32_t> stages;  // of the plan: those without replicas, and the first of each that has some
  std::vector<Way> ways;              // by stage of the plan, of all firings of an instance; of the others: nothing
  std::vector<assign::Sum> firings;   // likewise, in millionths
  std::vector<JoinedEdge> edges;
};

// Replicas that share the instances take as much in the mean as all together, of those that share the elements of a
// scatter all work at once: the slowest counts. `plan`: has `costs` for each stage and edge; `stages` and `edges` are
// what they take.
Joined join_replicas(const Plan& plan, const CostTable& costs, const std::vector<Way>& stages,
                     const std::vector<Way>& edges);

// The port that an edge leads to. Null where there is none: of a table made by hand stages may be without ports.
const InputPortPlan* input_of(const Plan& plan, const EdgePlan& edge);

// The one of most time; hops are the most of either.
Way longer(const Way& a, const Way& b);

}  // namespace woa
