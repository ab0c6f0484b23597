// b(e): the most blocks of an edge that one instance can occupy at once.
#pragma once

#include "compiler/check/control_flow.h"

namespace woa {

inline constexpr std::uint64_t kMaxInstanceBlocks = 4096;

// Adds the edges that carry the counts of scatters. Sets GraphEdge::min_blocks, or reports the edge and the inequality
// if it would exceed kMaxInstanceBlocks. A block is occupied from the writer's claim, before it fires, to the end of
// the firing that consumes it (held: to the end of the instance, or until a later turn's token has come). Outside loops
// b(e) is 1. Inside a loop it is 1 if every firing of the reader ends before the writer can fire again, 2 if a stage
// feeds itself, else one per turn. All elements of a scatter count at once. The graph has passed every check.
void count_blocks(Graph& graph, ControlFlow& flow, Report& report);

}  // namespace woa
