// Which outputs are written over their inputs' payloads.
#pragma once

#include "compiler/check/graph.h"

namespace woa {

// Sets OutputPortPlan::in_place to -1 wherever a kernel offers it, but the graph does not allow it: the stage must be
// on a cpu controller and in no loop, its input's token not held, read by nobody else and of one writer, its output of
// one reader, who has no other writer; all with as many replicas, and without copies. Controllers, edges, loops and
// types are settled.
void choose_in_place(Graph& graph);

}  // namespace woa
