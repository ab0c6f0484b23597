// How many instances are in flight and how many blocks every edge has.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/check/graph.h"

namespace woa {

// The window: `asked`, or two per stage, at most kMaxWindow and few enough for the packet rings. `model`: the call
// model that the plan is for, whose relays need rings, too.
std::uint32_t choose_window(const Graph& graph, std::optional<std::uint32_t> asked, std::string_view model);

// Reports the first stage that has an output port too many for a plan (kMaxOutputPorts).
void check_output_ports(const Graph& graph, Report& report);

// Sets GraphEdge::blocks: window x b(e), less where an edge would need more than 64 GiB, but never less than b(e), and
// b(e) + 1 if there may be a second instance. Reports edges for which even that is too much memory.
// GraphEdge::min_blocks is set. `model` as above.
void size_channels(Graph& graph, std::uint32_t window, std::string_view model, Report& report);

}  // namespace woa
