#include "runtime/node/run_report.h"

#include <utility>

namespace woa {

RunReport sum_reports(std::vector<NodeReport> nodes, const std::set<std::uint32_t>& elsewhere, std::size_t edges,
                      const std::vector<std::uint64_t>& packets) {
  RunReport report;
  report.edges.resize(edges);
  report.packets.resize(packets.size());
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    NodeReport& node = nodes[c];
    const std::uint32_t lacking = node.stats.workers == 0 ? 0 : node.device.workers - node.stats.workers;
    node.device.workers -= lacking;
    for (std::size_t e = 0; e < edges; ++e) report.edges[e] += node.stats.edges[e];
    for (std::size_t w = 0; w < node.packets.size(); ++w) report.packets[w] += node.packets[w];
    report.controllers.push_back({node.device, std::move(node.stats), std::move(node.trace), node.processors,
                                  std::move(node.staged), lacking, node.counted, elsewhere.contains(c)});
  }
  for (std::size_t w = 0; w < packets.size(); ++w) report.packets[w] -= packets[w];
  return report;
}

}  // namespace woa
