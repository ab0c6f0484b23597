// Looks up every name of a graph file: kernels, ports, writers; makes stages and edges.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/kernel_catalog.h"

namespace woa {

// Reports what cannot be looked up, what is missing and what leads nowhere, and leaves it out. `file` and `kernels`
// must outlive the graph.
Graph resolve(const GraphFile& file, KernelCatalog& kernels, Report& report);

}  // namespace woa
