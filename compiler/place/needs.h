// Which controllers have the capabilities that a stage needs.
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

}  // namespace woa
