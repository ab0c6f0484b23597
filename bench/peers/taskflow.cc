// Taskflow as a peer (task_program.h): the executor's only thread runs the same graph again and again.
#include <memory>
#include <taskflow/taskflow.hpp>
#include <vector>

#include "bench/peers/task_program.h"

namespace {

struct Tasks {
  tf::Executor executor{1};
  tf::Taskflow graph;
};

woa::bench::RunTasks build(const woa::bench::TaskGraph& graph, std::uint64_t& count) {
  auto tasks = std::make_shared<Tasks>();
  std::vector<tf::Task> all;
  for (std::uint32_t k = 0; k < graph.tasks; ++k) all.push_back(tasks->graph.emplace([&count] { ++count; }));
  for (const auto& [from, to] : graph.edges) all[from].precede(all[to]);
  return [tasks](std::uint64_t runs) { tasks->executor.run_n(tasks->graph, runs).wait(); };
}

}  // namespace

int main(int count, char** arguments) {
  return woa::bench::run_task_peer({arguments, static_cast<std::size_t>(count)}, build);
}
