// Graphs of tasks that do nothing, the same for our controller and for libraries of tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace woa::measure {

// Task 0 starts, the last one follows all others. An edge leads from a task to one with a greater number.
struct TaskGraph {
  std::uint32_t tasks = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges = {};
};

// 64 tasks, each after the one before.
inline TaskGraph task_chain() {
  TaskGraph graph{64};
  for (std::uint32_t k = 1; k < graph.tasks; ++k) graph.edges.emplace_back(k - 1, k);
  return graph;
}

// 8 tasks after the first one and before the last one.
inline TaskGraph task_fan_out() {
  TaskGraph graph{10};
  for (std::uint32_t k = 1; k + 1 < graph.tasks; ++k) graph.edges.emplace_back(0, k);
  for (std::uint32_t k = 1; k + 1 < graph.tasks; ++k) graph.edges.emplace_back(k, graph.tasks - 1);
  return graph;
}

// A square of 8 x 8 tasks, each after its left and its upper neighbour.
inline TaskGraph task_wavefront() {
  constexpr std::uint32_t kSide = 8;
  TaskGraph graph{kSide * kSide};
  for (std::uint32_t k = 1; k < graph.tasks; ++k) {
    if (k % kSide != 0) graph.edges.emplace_back(k - 1, k);
    if (k >= kSide) graph.edges.emplace_back(k - kSide, k);
  }
  return graph;
}

// "chain", "fan-out" or "wavefront"; nothing for another name.
inline std::optional<TaskGraph> task_graph(std::string_view name) {
  if (name == "chain") return task_chain();
  if (name == "fan-out") return task_fan_out();
  if (name == "wavefront") return task_wavefront();
  return std::nullopt;
}

}  // namespace woa::measure
