#include "compiler/check/graph_hash.h"

#include <string_view>

#include "compiler/fnv_hash.h"

namespace woa {

std::string graph_hash(const Graph& graph, const std::string& name) {
  FnvHash hash;
  hash.add(name);
  for (const GraphStage& stage : graph.stages) {
    hash.add(stage.name);
    hash.add(stage.kernel == nullptr ? std::string_view() : std::string_view(stage.kernel->name));
    hash.add(stage.params.size());
    for (const ParamPlan& param : stage.params) {
      hash.add(param.name);
      if (param.type != ParamType::kFile && param.secret_env.empty()) hash.add(param.value);
    }
  }
  hash.add(graph.edges.size());
  for (const GraphEdge& edge : graph.edges) {
    hash.add(graph.writer_name(edge));
    hash.add(graph.reader_name(edge));
    hash.add(edge.hold ? "hold" : "");
    hash.add(edge.loop < 0 ? std::string_view()
                           : std::string_view(graph.loops[static_cast<std::size_t>(edge.loop)].name));
  }
  for (const GraphLoop& loop : graph.loops) {
    hash.add(loop.name);
    hash.add(loop.max);
  }
  return hash.text();
}

}  // namespace woa
