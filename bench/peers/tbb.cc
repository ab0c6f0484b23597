// oneTBB as a peer (task_program.h): its flow graph, of nodes that continue when all before them have, run by the
// calling thread alone.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>

#include <memory>
#include <vector>

#include "bench/peers/task_program.h"

namespace {

using tbb::flow::continue_msg;
using Node = tbb::flow::continue_node<continue_msg>;

struct Tasks {
  tbb::global_control threads{tbb::global_control::max_allowed_parallelism, 1};
  tbb::flow::graph graph;
  std::vector<std::unique_ptr<Node>> nodes;
};

woa::bench::RunTasks build(const woa::bench::TaskGraph& graph, std::uint64_t& count) {
  auto tasks = std::make_shared<Tasks>();
  for (std::uint32_t k = 0; k < graph.tasks; ++k)
    tasks->nodes.push_back(std::make_unique<Node>(tasks->graph, [&count](const continue_msg&) { ++count; }));
  for (const auto& [from, to] : graph.edges) tbb::flow::make_edge(*tasks->nodes[from], *tasks->nodes[to]);
  return [tasks](std::uint64_t runs) {
    for (std::uint64_t k = 0; k < runs; ++k) {
      tasks->nodes.front()->try_put(continue_msg());
      tasks->graph.wait_for_all();
    }
  };
}

}  // namespace

int main(int count, char** arguments) {
  return woa::bench::run_task_peer({arguments, static_cast<std::size_t>(count)}, build);
}
