// b(e): the most blocks of an edge that one instance can occupy at once.
#pragma once

#include "compiler/check/control_flow.h"

namespace woa {

inline constexpr std::uint64_t kMaxInstanceBlocks = 4096;

// Adds the edges that carry the counts of scatters. Sets GraphEdge::min_blocks, or reports the edge and the inequality
// where it would exceed kMaxInstanceBlocks. A block is occupied from the writer's claim, before it fires, to the end of
// the firing that consumes it (held: to the end of the instance). Outside loops that is one. Inside a loop it is one if
// every firing of the reader ends before the writer can fire again, two where a stage feeds itself, else one per turn.
// Elements of a scatter are all there at once. The graph has passed every check.
void count_blocks(Graph& graph, ControlFlow& flow, Report& report);

}  // namespace woa
