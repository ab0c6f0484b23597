// Checks that the types of both ends of every edge fit, and completes them.
#pragma once

#include "compiler/check/graph.h"

namespace woa {

// Reports edges whose ends do not fit: in type, or because the writer may leave a token out and the reader needs it
// (the sink's ports become optional if a writer is). A dimension fixed at one port becomes fixed at all ports that
// edges join with it, so that both ends lay a payload out alike. The sink's ports take the types of their writers. An
// input without a bound of its own takes the largest of its writers.
void settle_types(Graph& graph, Report& report);

}  // namespace woa
