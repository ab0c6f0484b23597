// Computes under which choices every stage fires and every token comes. Reports what breaks the rules of
// docs/graph-language.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/check/graph.h"
#include "compiler/check/guard.h"
#include "compiler/check/turn_graph.h"

namespace woa {

// A guard is a condition on the choices made in one turn of a context; nothing where a problem was reported.
struct Flow {
  Guards guards;
  std::vector<std::optional<Guard>> stage;  // in the stage's own context
  std::vector<std::optional<Guard>> loop;   // when it is entered, in its parent's context
  std::vector<std::vector<std::optional<Guard>>>
      edge;  // of its token: in its writer's context, then outwards to its own
  std::vector<std::vector<std::string>> choice_names;  // by variable of the guards: the meaning of each value

  // The guard of an edge's token in `context`, which must be one of those listed.
  [[nodiscard]] std::optional<Guard> edge_in(const Graph& graph, std::uint32_t edge_id, std::int32_t context) const;
  // "always", or "when `a` writes `x`".
  [[nodiscard]] std::string when(Guard guard) const;
};

// This analysis treats a scatter as a loop of one turn, which handles one element.
// Reports merges whose writers may both write, joins whose inputs come under different choices, loops whose turns do
// not begin and end as one, held tokens that may be missing, courses that do not reach the sink, run state that does
// not fire exactly once, and elements of a scatter that may not reach its gather. The graph has passed find_loops and
// find_scatters.
Flow analyse_flow(const Graph& graph, const TurnGraphs& turns, Report& report);

}  // namespace woa
