// Legs: what a call model sends between two stages, the tokens of an edge or, under rpc-nested, an output on one hop of
// its way back. Placement and predictions count the same legs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/certificate/cost_table.h"
#include "compiler/place/call_route.h"

namespace woa {

enum class LegKind : std::uint8_t {
  kToken,
  kCount,     // the number of a scatter's elements
  kToSink,    // an output of the graph, straight to the sink
  kRide,      // under rpc-nested: the first output on a return
  kNextRide,  // under rpc-nested: a further output on a return, which is a message of its own
};

struct Leg {
  EdgeCosts costs;       // of the edge; `from` and `to` are the ends of the leg
  std::size_t edge = 0;  // of the table
  LegKind kind = LegKind::kToken;
};

// True for an edge to a stage's first input, whose writer calls the stage: its return goes there.
constexpr bool is_call(std::uint32_t to_port, std::int32_t loop, bool count) noexcept {
  return to_port == 0 && loop < 0 && !count;
}
// By stage: who calls it; nothing: no stage does.
using Callers = std::vector<std::optional<std::uint32_t>>;
Callers callers_of(const CostTable& table);

// In the order of the table's edges. `callers`: the ways of outputs under rpc-nested; empty: they count as one hop.
std::vector<Leg> legs_of(const CostTable& table, std::string_view model, const Callers& callers);

Route route_of_leg(std::string_view model, std::uint32_t from, std::uint32_t to, LegKind kind) noexcept;

}  // namespace woa
