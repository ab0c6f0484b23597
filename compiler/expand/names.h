// Looks up what the references of a graph file name.
#pragma once

#include "compiler/expand/subgraphs.h"
#include "compiler/parse/kernel_catalog.h"

namespace woa {

// In the graph and in each of its sub-graphs: reports writers, inputs, outputs and parameters that do not exist or are
// given twice over, inputs of sub-graphs that are not given or not read, and outputs of their uses that nothing reads.
// Ports of kernels are not looked at, except for what a fix may name. What names nothing is marked as lost or broken,
// or left out and mentioned.
void check_names(GraphFile& file, const Subgraphs& subgraphs, KernelCatalog& kernels, Report& report);

}  // namespace woa
