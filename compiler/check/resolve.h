// Looks up every name of a graph file: kernels, ports, writers; makes stages and edges.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/kernel_catalog.h"

namespace woa {

// Reports unknown names, inputs without a writer and outputs without a reader. Leaves out what it cannot look up.
// `file` and `kernels` must outlive the graph.
Graph resolve(const GraphFile& file, KernelCatalog& kernels, Report& report);

}  // namespace woa
