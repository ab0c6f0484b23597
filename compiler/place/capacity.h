// Whether the stages of each controller fit into it.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/machine.h"

namespace woa {

// Which stages count.
enum class Which : bool {
  kAll,
  kPinned,  // those that name their controller, wherever the others will go
};

// Reports, for each controller and each resource that the machine file limits, the first stage in the order of the file
// with which its stages take more than it has. A variant that does not say what it takes takes nothing. On an fpga all
// stages of a kernel share its core, and what that takes of the fpga counts once.
void check_capacities(const Graph& graph, const Machine& machine, Which which, Report& report);

}  // namespace woa
