#include "compiler/buffers/channels.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compiler/buffers/blocks.h"
#include "compiler/place/replicas.h"
#include "runtime/plan/room.h"

namespace woa {
namespace {

constexpr std::uint64_t kMostByDefault = 64;  // instances in flight
// Spare blocks let a writer go on before it hears of those that it used last. A pool hands out the block that came back
// last, so in host memory a spare one takes memory only where it is needed. Of large ones one is enough.
constexpr std::uint64_t kSpareSmall = 7, kSpareLarge = 1;
constexpr std::uint64_t kBothEnds = 2;  // workers: raise_room() adds for more

// Totals over the edges of the plan, in which each replica and copy is a stage.
struct Edges {
  std::uint64_t count = 0, blocks = 0;  // blocks: of one instance
};

Edges edges_of(const Graph& graph) {
  Edges sum;
  for (const GraphEdge& edge : graph.edges) {
    const std::size_t copies = graph.stages[edge.to_stage].copy_controllers.size();
    const std::uint64_t pairs = replica_edges(graph, edge).size() * std::max<std::size_t>(1, copies);
    sum.count += pairs;
    sum.blocks += pairs * edge.min_blocks;
  }
  return sum;
}

// By stage and port: the edges that the output will have in the plan, to all replicas and copies of its readers.
std::vector<std::vector<std::uint64_t>> edges_of_outputs(const Graph& graph) {
  std::vector<std::vector<std::uint64_t>> sums(graph.stages.size());
  for (std::size_t s = 0; s < sums.size(); ++s) sums[s].resize(graph.stages[s].outputs.size());
  for (const GraphEdge& edge : graph.edges) {
    if (edge.count) continue;  // has no payload
    const std::uint64_t writers = graph.stages[edge.from_stage].replicas;
    const std::size_t copies = graph.stages[edge.to_stage].copy_controllers.size();
    const std::uint64_t pairs = replica_edges(graph, edge).size();
    sums[edge.from_stage][edge.from_port] += (pairs + writers - 1) / writers * std::max<std::size_t>(1, copies);
  }
  return sums;
}

}  // namespace

std::uint32_t choose_window(const Graph& graph, std::optional<std::uint32_t> asked, std::string_view model) {
  if (asked) return std::clamp(*asked, 1U, kMaxWindow);
  const std::uint64_t stages = std::max<std::uint64_t>(1, graph.stages.size() - 2);
  const Edges edges = edges_of(graph);
  const std::uint64_t slots = std::max<std::uint64_t>(1, edges.blocks + edges.count);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::min(2 * stages, kMaxSlots / call_model(model).edges / slots), 1, kMostByDefault));
}

void check_output_ports(const Graph& graph, Report& report) {
  std::size_t ports = 0;
  for (const GraphStage& stage : graph.stages) {
    ports += stage.outputs.size() * stage.replicas;
    if (ports <= kMaxOutputPorts) continue;
    report.error(problem::kBadPlan, stage.place,
                 cat("with stage ", quote(stage.name), " the graph has more than ", kMaxOutputPorts,
                     " output ports, those of replicas and the graph's inputs included; a plan can number no more"),
                 "divide the graph into several, or let one kernel do what several small stages do");
    return;
  }
}

void size_channels(Graph& graph, std::uint32_t window, std::string_view model, Report& report) {
  const std::uint64_t most_of_all = kMaxSlots / call_model(model).edges;
  const Edges edges = edges_of(graph);
  const std::uint64_t blocks = std::max<std::uint64_t>(1, edges.blocks);
  const std::uint64_t marks = edges.count * std::uint64_t{window};
  const std::uint64_t overlap =
      marks >= most_of_all ? 1 : std::clamp<std::uint64_t>((most_of_all - marks) / blocks, 1, window);
  const bool spare = marks + overlap * blocks + edges.count * kSpareSmall <= most_of_all;
  const std::vector<std::vector<std::uint64_t>> edges_of_output = edges_of_outputs(graph);
  for (GraphEdge& edge : graph.edges) {
    if (edge.min_blocks > kMaxInstanceBlocks) continue;  // reported
    const GraphStage& writer = graph.stages[edge.from_stage];
    const std::uint64_t readers = edges_of_output[edge.from_stage][edge.from_port];
    const std::uint64_t block_bytes = writer.outputs[edge.from_port].type.block_bytes();
    const std::uint64_t most = most_blocks(edge.count ? 1 : block_bytes, readers);
    const std::uint64_t least = edge.min_blocks + (window > 1 ? 1U : 0U);
    if (least > most) {
      report.error(
          problem::kTooMuchMemory, edge.place,
          cat("the edge from ", quote(graph.writer_name(edge)), " to ", quote(graph.reader_name(edge)), " needs ",
              least, " blocks of ", block_bytes, " bytes, but at most ", most, " fit into its memory"),
          "lower `max` of the port or of the loop");
      continue;
    }
    const bool small = edge.count || block_bytes <= kSmallBlockBytes;
    const std::uint64_t more = spare ? (small ? kSpareSmall : kSpareLarge) : 0;
    // Outputs of the graph wait in their blocks for those of earlier instances.
    const bool for_all = small || edge.to_stage == kSinkStage;
    const std::uint64_t instances = instances_on_edge(overlap, kBothEnds, for_all);
    edge.blocks = static_cast<std::uint32_t>(std::clamp(instances * edge.min_blocks + more, least, most));
  }
}

}  // namespace woa
