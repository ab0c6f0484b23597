// Who sends to whom in a plan: its edges by stage and port, and the names that messages give them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa {

// Edges in ascending order.
struct PlanIndex {
  using ByPort = std::vector<std::vector<std::vector<std::uint32_t>>>;  // [stage][port]: edges
  ByPort out_edges, in_edges;                                           // of tokens
  ByPort out_counts, in_counts;                                         // of counts (EdgePlan::count)
  ByPort all_out, all_in;                                               // of both

  PlanIndex() = default;
  explicit PlanIndex(const Plan& plan);
};

// By stage: those that read what it writes, in the order of the edges, which may leave out those that take a loop.
std::vector<std::vector<std::uint32_t>> readers_by_stage(const Plan& plan, bool loops = true);
// Writers before readers, by all edges that take no loop. Without the stages on or behind a cycle of those.
std::vector<std::uint32_t> stages_in_order(const Plan& plan);

// By stage: the bits of its tags that number the elements of the innermost scatter that it lies in, 0 where it lies in
// none. Of plans as files have them, and of those that call models have added relays to.
std::vector<std::uint64_t> element_numbers(const Plan& plan);

// "stage.port".
std::string writer_of(const Plan& plan, const EdgePlan& edge);
std::string reader_of(const Plan& plan, const EdgePlan& edge);
// "the edge from 'stage.port' to 'stage.port'".
std::string name_of_edge(const Plan& plan, const EdgePlan& edge);

}  // namespace woa
