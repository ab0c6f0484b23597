// How many instances are in flight and how many blocks every edge has.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/check/graph.h"

namespace woa {

// Returns the window: `asked`, in 1 to kMaxWindow; else two instances per stage, at most 64 and few enough for the
// packet rings (all edges together may have so many blocks and, for each instance, a mark per edge). `model`: the
// plan's call model, whose relays need rings, too.
std::uint32_t choose_window(const Graph& graph, std::optional<std::uint32_t> asked, std::string_view model);

// Reports the first stage with which the plan would exceed kMaxOutputPorts.
void check_output_ports(const Graph& graph, Report& report);

// Sets GraphEdge::blocks to b(e) x the instances that have room between controllers of one worker each
// (instances_on_edge()), and some to spare; GraphEdge::min_blocks, b(e), is set. Fewer if packet rings or memory (64
// GiB per edge, 255 GiB per output) run short, but at least b(e), or b(e) + 1 if there may be a second instance.
// Reports edges for which even that is too much memory. After errors b(e) may be 1, and copies may be missing: what is
// reported then is true all the same. `model`: as choose_window().
void size_channels(Graph& graph, std::uint32_t window, std::string_view model, Report& report);

}  // namespace woa
