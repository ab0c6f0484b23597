// The sub-graphs of a graph file, by name, and how they use each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/graph_file.h"

namespace woa {

inline constexpr std::size_t kMaxSubgraphDepth = 32;

// The declarations of a graph or sub-graph, by name. Borrows them.
struct BodyIndex {
  // `params` may be null.
  BodyIndex(const GraphBody& body, const std::vector<ParamDecl>* params);
  std::unordered_map<std::string_view, const GraphInput*> inputs;
  std::unordered_map<std::string_view, const StageDecl*> stages;
  std::unordered_map<std::string_view, const PortUse*> outputs;
  std::unordered_map<std::string_view, const ParamDecl*> params;
};

class Subgraphs {
 public:
  // Reports names that two of them have, uses of one that does not exist, and those that use themselves or are nested
  // too deep. Each such use loses its `graph`: its stage is then like one with an unknown kernel. Borrows `file`.
  Subgraphs(GraphFile& file, Report& report);

  // Null: there is none of that name, or it was refused.
  [[nodiscard]] const SubgraphDecl* find(std::string_view name) const;
  [[nodiscard]] const BodyIndex& index(const SubgraphDecl& graph) const { return index_.at(&graph); }
  // Stages and uses that a use of `graph` expands to, itself included; saturated.
  [[nodiscard]] std::uint64_t size(const SubgraphDecl& graph) const { return sizes_[number(graph)]; }

 private:
  void add_names(Report& report);
  using NotFound = std::map<std::string, std::vector<Place>>;  // by name: where sub-graphs are used
  void drop_unknown(GraphBody& body, NotFound& unknown) const;
  void report_graphs(const NotFound& unknown, Report& report) const;
  void measure(Report& report);
  void report_cycles(std::vector<bool> known, Report& report);
  void report_cycle(const std::vector<const StageDecl*>& uses, Report& report) const;
  [[nodiscard]] std::size_t number(const SubgraphDecl& graph) const {
    return static_cast<std::size_t>(&graph - file_.graphs.data());
  }
  // Calls visit(stage, number of the sub-graph) for every use in the body of a sub-graph.
  void each_use(std::size_t graph, const auto& visit);

  GraphFile& file_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unordered_map<const SubgraphDecl*, BodyIndex> index_;
  std::vector<std::uint64_t> sizes_;
  std::vector<bool> measured_;
};

}  // namespace woa
