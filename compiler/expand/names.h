// Looks up the names that a graph file refers to.
#pragma once

#include "compiler/expand/subgraphs.h"
#include "compiler/parse/kernel_catalog.h"

namespace woa {

// In the graph and in each of its sub-graphs: reports writers, inputs, outputs and parameters that do not exist or are
// given twice, inputs of sub-graphs that are not given or not read, and outputs of their uses that nothing reads.
// Ignores ports of kernels, except to name them in a fix. A reference that names nothing becomes lost or broken, or is
// left out and mentioned (GraphBody::mentions).
void check_names(GraphFile& file, const Subgraphs& subgraphs, KernelCatalog& kernels, Report& report);

}  // namespace woa
