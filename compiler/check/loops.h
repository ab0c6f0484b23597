// Finds the bodies of loops and how they nest.
#pragma once

#include "compiler/check/graph.h"

namespace woa {

inline constexpr std::uint32_t kTagBits = 64;  // of the packet's tag, for all counters

// Fills Graph::loops, the loop of every stage and the context of every edge. A loop's body is a strongly connected
// component over the edges of one turn and the loop edges; without the outer loop's edges, the bodies of the inner
// loops are left. Reports cycles without a loop, loop edges that close no cycle and loops that cannot be told apart;
// cuts such edges (Graph::cut), so that the rest can be judged. Returns false if loops are nested too deep for further
// analysis.
bool find_loops(Graph& graph, Report& report);

// Checks how every input port is fed from turn to turn: a port inside a loop that is written from before the loop must
// be written by a loop edge too, and vice versa; writers of a held port must share the same loops with it. A port that
// fails becomes broken.
void check_turns(Graph& graph, Report& report);

// Gives every loop a field of the tag: nested loops adjacent ones, the outer one higher; disjoint ones may share bits.
void assign_tags(Graph& graph, Report& report);

}  // namespace woa
