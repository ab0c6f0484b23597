// Needs of stages: capabilities and capacities of controllers, and parameters that a device can hold.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/machine.h"

namespace woa {

// The first need of the stage or its kernel that the controller does not have; null: capabilities allow the stage
// there. The result lies in the declarations.
const NeedUse* missing_need(const GraphStage& stage, const MachineController& controller);

// Reports at `place` that `on`, to which the stage is pinned, lacks `need`.
void report_pin_lacks(const GraphStage& stage, const NeedUse& need, const std::string& on, const Place& place,
                      const Machine& machine, Report& report);
// Reports that no controller that can run the stage's kernel has all that the stage needs.
void report_nobody_has(const GraphStage& stage, const NeedUse& need, const Machine& machine, Report& report);

// The packet node's use of an fpga that has a stage, without kernels' cores; empty: no fpga.
Resources node_on(const MachineController& controller);
// The controller's limits less the node's use; nothing: not even the packet node fits, so no stage may be there.
std::optional<Resources> room_on(const MachineController& controller);

// The stages that check_capacities() counts.
enum class Which : bool {
  kAll,
  kBound,  // stages with one controller to run on, before the others are placed
};

// Reports, for each controller and each resource that the machine file limits, the first stage in file order with which
// its stages take more than it has, and what takes the most. A variant without declared resources takes nothing. On an
// fpga all stages of a kernel share its core, whose parts count once, and the packet node counts once.
void check_capacities(const Graph& graph, const Machine& machine, Which which, Report& report);

// Reports int parameters of stages on a gpu that do not fit the 32 bits that a variant's ints have there
// (docs/kernels.md). Call it once stages are placed.
void check_device_params(const Graph& graph, Report& report);

}  // namespace woa
