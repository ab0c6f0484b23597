// The values of the parameters of one use of a sub-graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/expand/subgraphs.h"

namespace woa {

// A stage that uses a sub-graph, in the flat graph.
struct SubgraphUse {
  const StageDecl& stage;
  const SubgraphDecl& graph;
  std::string name;               // "outer/stage"
  std::uint32_t outer_place = 0;  // Place::use of the stage itself
  std::uint32_t place = 0;        // Place::use of the stages inside
  bool misspelt = false;          // the command line gave an unknown parameter: it may have meant any
};

inline Place seen_through(Place place, std::uint32_t use) {
  place.use = use;
  return place;
}

// The values of parameters in one sub-graph, which the stages inside refer to by `{param: NAME}`. Borrows the
// declarations, and the texts of the command line.
class ParamValues {
 public:
  using Given = std::map<std::string_view, std::string_view>;  // name -> value

  // For the graph itself, which has none.
  ParamValues() = default;
  // Values come from the command line, from the use (`outer`: the values around it) or from defaults. Reports missing
  // values and those that the declaration does not allow.
  ParamValues(const SubgraphUse& use, const ParamValues& outer, const Given& command_line,
              const Place& command_line_place, Report& report);

  // A parameter of a stage inside, with its value.
  [[nodiscard]] ParamUse settled(const ParamUse& param, std::uint32_t place_use) const;
  // Sets the bound of a loop if a parameter gives it.
  void settle(LoopMark& loop, Report& report) const;

 private:
  struct Value {
    std::string_view text;
    Place place;
    bool in_graph = true, broken = false;
  };
  [[nodiscard]] Value value_in_graph(const SubgraphUse& use, const ParamDecl& decl, const ParamUse* param,
                                     const ParamValues& outer, Report& report) const;

  std::unordered_map<std::string_view, Value> values_;
};

}  // namespace woa
