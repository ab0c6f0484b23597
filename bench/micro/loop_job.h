// The jobs of `woa bench firing`: loops within one controller, with the answer that a direct computation gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::bench {

struct LoopJob {
  std::string name;
  Plan plan;                                   // of one controller, in whose order the stages fire, turn after turn
  std::vector<std::vector<std::byte>> inputs;  // of the graph
  std::uint64_t answer = 0;                    // the graph's output
};

// About `firings` firings (at least one turn) of
//   "dijkstra"                          shortest paths over 100 nodes: two stages with state, the weights held
//   "null"                              the same loop with kernels that only count
//   "chain", "fan-out", "wavefront"     task_graph() of kernels that only pass a token on
// Nothing for another name.
std::optional<LoopJob> loop_job(std::string_view name, std::uint64_t firings);

// kDataLoss unless `output` is the job's answer.
Status check_answer(const LoopJob& job, std::span<const std::byte> output);

}  // namespace woa::bench
