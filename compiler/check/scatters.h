// Finds the stages between a scatter and its gathers, and how scatters and loops nest.
#pragma once

#include "compiler/check/graph.h"

namespace woa {

// Adds every `many` output that is read to Graph::loops, as a scatter, and fills in which scatter an output starts and
// an input gathers. A stage lies in the scatters whose elements its inputs bring: all inputs that are not held must
// agree, and a gather removes one. Loops and scatters then become one forest, and the contexts of stages and edges are
// the innermost of either. Reports gathers without a scatter, inputs that come at different rates, scatters that reach
// the sink, and scatters and loops that cut each other. Cuts the edges of stages that lie in those, or whose scatter is
// unknown (Graph::cut), so that the rest can be judged. The graph has passed find_loops. Returns false if scatters are
// nested too deep.
bool find_scatters(Graph& graph, Report& report);

}  // namespace woa
