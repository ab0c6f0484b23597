// What stages take of controllers: capabilities, capacities, and parameters that a device can hold.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/machine.h"

namespace woa {

// What the stage or its kernel needs and the controller does not have, the first one; null: it may run there, as far as
// capabilities go. Borrows the declarations.
const NeedUse* missing_need(const GraphStage& stage, const MachineController& controller);

// Reports at `place` that `on`, to which the stage is pinned, lacks `need`.
void report_pin_lacks(const GraphStage& stage, const NeedUse& need, const std::string& on, const Place& place,
                      const Machine& machine, Report& report);
// Reports that no controller that the stage's kernel has a variant for has all that the stage needs.
void report_nobody_has(const GraphStage& stage, const NeedUse& need, const Machine& machine, Report& report);

// Which stages count.
enum class Which : bool {
  kAll,
  kPinned,  // those that name their controller, wherever the others will go
};

// Reports, for each controller and each resource that the machine file limits, the first stage in the order of the file
// with which its stages take more than it has. A variant that does not say what it takes takes nothing. On an fpga all
// stages of a kernel share its core, and what that takes of the fpga counts once.
void check_capacities(const Graph& graph, const Machine& machine, Which which, Report& report);

// Reports parameters of type int that an OpenCL function cannot take, where a stage runs on a gpu: 32 bits hold those
// (docs/kernels.md). Once stages are placed.
void check_device_params(const Graph& graph, Report& report);

}  // namespace woa
