#include "bench/micro/loop_job.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "bench/kernels/dijkstra.h"
#include "runtime/measure/plans.h"
#include "runtime/measure/task_graph.h"

namespace woa::bench {

using namespace measure;
namespace {

using Weights = std::vector<std::int32_t>;  // of edges, by start and end

Weights random_weights() {
  constexpr std::int32_t kLeast = 1, kMost = 100;
  std::mt19937 random;  // NOLINT(cert-msc51-cpp): the same weights in each launch
  Weights weights(static_cast<std::size_t>(kNodes) * kNodes);
  for (std::int32_t& weight : weights) weight = kLeast + static_cast<std::int32_t>(random() % kMost);
  return weights;
}

// The textbook's way: takes the nearest node that is not done, until all are.
std::uint64_t sum_of_shortest_paths(const Weights& weights, int source) {
  std::vector<std::int32_t> length(kNodes, std::numeric_limits<std::int32_t>::max());
  std::vector<bool> done(kNodes);
  length[static_cast<std::size_t>(source)] = 0;
  std::uint64_t sum = 0;
  for (int round = 0; round < kNodes; ++round) {
    std::size_t nearest = kNodes;
    for (std::size_t k = 0; k < kNodes; ++k) {
      if (!done[k] && (nearest == kNodes || length[k] < length[nearest])) nearest = k;
    }
    done[nearest] = true;
    sum += static_cast<std::uint64_t>(length[nearest]);
    for (std::size_t k = 0; k < kNodes; ++k)
      length[k] = std::min(length[k], length[nearest] + weights[nearest * kNodes + k]);
  }
  return sum;
}

template <class Value>
std::vector<std::byte> bytes_of(const Value* values, std::size_t count) {
  std::vector<std::byte> bytes(count * sizeof(Value));
  std::memcpy(bytes.data(), values, bytes.size());
  return bytes;
}
std::vector<std::byte> bytes_of(std::uint64_t value) { return bytes_of(&value, 1); }

LoopJob dijkstra(std::uint64_t firings) {
  constexpr std::uint64_t kFiringsPerSource = 560;  // of the 100 sources, the mean
  const std::uint64_t sources = std::max<std::uint64_t>(1, firings / kFiringsPerSource);
  const Weights weights = random_weights();
  LoopJob job{"dijkstra",
              two_stage_loop("dijkstra_queue", "dijkstra_relax", Stateful::kInstance),
              {bytes_of(sources), bytes_of(weights.data(), weights.size())}};
  for (int node = 0; node < kNodes; ++node) {
    const std::uint64_t before = static_cast<std::uint64_t>(node);  // sources come round
    const std::uint64_t times = (sources + kNodes - 1 - before) / kNodes;
    if (times != 0) job.answer += times * sum_of_shortest_paths(weights, node);
  }
  return job;
}

LoopJob null(std::uint64_t firings) {
  const std::vector<std::byte> held(sizeof(std::int32_t) * kNodes * kNodes);
  return {"null", two_stage_loop("copy", "ping", Stateful::kNo), {bytes_of(firings / 2), held}};
}

}  // namespace

std::optional<LoopJob> loop_job(std::string_view name, std::uint64_t firings) {
  if (name == "dijkstra") return dijkstra(firings);
  if (name == "null") return null(firings);
  const auto graph = task_graph(name);
  if (!graph) return std::nullopt;
  return LoopJob{std::string(name), task_loop(*graph), {bytes_of(firings / graph->tasks)}};
}

Status check_answer(const LoopJob& job, std::span<const std::byte> output) {
  std::uint64_t answer = 0;
  if (output.size() == sizeof answer) std::memcpy(&answer, output.data(), sizeof answer);
  if (output.size() == sizeof answer && answer == job.answer) return {};
  return {Code::kDataLoss, "the answer is " + std::to_string(answer) + " in " + std::to_string(output.size()) +
                               " bytes, and not " + std::to_string(job.answer)};
}

}  // namespace woa::bench
