// The edges of a plan by stage and port, and their names for messages.
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

// By stage: the readers of its outputs, in the order of the edges. Loop edges are left out unless `loops`.
std::vector<std::vector<std::uint32_t>> readers_by_stage(const Plan& plan, bool loops = true);
// Stages, writers before readers, by all edges that take no loop. Leaves out stages on or behind a cycle of them.
std::vector<std::uint32_t> stages_in_order(const Plan& plan);

// By stage: the bits of its tags that number the elements of its innermost scatter; 0 if it lies in none. Works for
// plans as files have them, and for those with the relays of a call model.
std::vector<std::uint64_t> element_numbers(const Plan& plan);

// Does a count edge carry a signal of the call model, and no number of elements? A scatter of at most one element
// counts as such where the model has signals.
bool is_signal(const Plan& plan, const EdgePlan& edge);

// "stage.port".
std::string writer_of(const Plan& plan, const EdgePlan& edge);
std::string reader_of(const Plan& plan, const EdgePlan& edge);
// "the edge from 'stage.port' to 'stage.port'".
std::string name_of_edge(const Plan& plan, const EdgePlan& edge);

}  // namespace woa
