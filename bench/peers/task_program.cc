#include "bench/peers/task_program.h"

#include <string>
#include <string_view>

#include "bench/peers/peer_program.h"
#include "runtime/base/clock.h"
#include "runtime/base/processor.h"
#include "runtime/base/scalar.h"

namespace woa::bench {
namespace {

Result<double> run_ns(const TaskGraph& graph, std::uint64_t runs, const BuildTasks& build) {
  constexpr std::uint64_t kWarmUpRuns = 16;
  std::uint64_t count = 0;
  const RunTasks run = build(graph, count);
  run(kWarmUpRuns);
  const std::uint64_t start_ns = now_ns();
  run(runs);
  const std::uint64_t end_ns = now_ns();
  if (count == (kWarmUpRuns + runs) * graph.tasks) return static_cast<double>(end_ns - start_ns);
  return Status(Code::kDataLoss,
                std::to_string(count) + " tasks ran, and not " + std::to_string((kWarmUpRuns + runs) * graph.tasks));
}

}  // namespace

int run_task_peer(std::span<char*> arguments, const BuildTasks& build) {
  constexpr std::size_t kArguments = 5;
  if (arguments.size() == kArguments && std::string_view(arguments[1]) == "tasks") {
    const auto graph = task_graph(arguments[2]);
    const auto runs = parse_digits(arguments[3]), processor = parse_digits(arguments[4]);
    if (graph && runs.value_or(0) != 0 && processor) {
      if (pin_thread({static_cast<int>(*processor)}).ok()) return say(run_ns(*graph, *runs, build));
      return say(Status(Code::kUnavailable, "processor " + std::to_string(*processor) + " is not ours to use"));
    }
  }
  return say(
      Status(Code::kInvalid, "usage: " + std::string(arguments[0]) + " tasks chain|fan-out|wavefront RUNS PROCESSOR"));
}

}  // namespace woa::bench
