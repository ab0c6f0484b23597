#include "compiler/check/graph_hash.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace woa {
namespace {

class Hash {
 public:
  // Parts are kept apart: "ab", "c" is not "a", "bc".
  void add(std::string_view part) {
    for (const char c : part) add_byte(static_cast<std::uint8_t>(c));
    add_byte(0);
  }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  [[nodiscard]] std::string text() const {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(value_));
    return digits.data();
  }

 private:
  void add_byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string graph_hash(const Graph& graph, const std::string& name) {
  Hash hash;
  hash.add(name);
  for (const GraphStage& stage : graph.stages) {
    hash.add(stage.name);
    hash.add(stage.kernel == nullptr ? std::string_view() : std::string_view(stage.kernel->name));
    hash.add(stage.params.size());
    for (const ParamPlan& param : stage.params) {
      hash.add(param.name);
      if (!param.is_file && param.secret_env.empty()) hash.add(param.value);
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
