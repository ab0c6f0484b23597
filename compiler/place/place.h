// Chooses the controller of every stage.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/machine_file.h"

namespace woa {

// Sets Graph::controllers (the host, then in order of first use) and GraphStage::controller. Keeps pins; a pin to a
// kind takes the first controller of it with the capabilities that the stage needs (needs.h). Without a pin a stage
// gets the first kind (cpu, gpu, fpga) for which its kernel has a variant and the machine such a controller; cpu stages
// go round robin over the machine's cpu controllers. Reports pins that the machine or the kernel does not allow. A
// `cpu:N` that a graph names always exists, but if the machine file lists links, it must have links with the host.
void place(Graph& graph, const Machine& machine, Report& report);

// True if the graph, or the stage's kernel, asks for isolation (isolation.h).
bool is_isolated(const GraphStage& stage);
// True if the stage's kernel runs on the controller, or has a modelled time there.
bool may_run(const GraphStage& stage, const ControllerPlan& controller);
// The parts of the controller that the stage takes where its time is modelled; null: it is not.
const Resources* modelled_on(const GraphStage& stage, const ControllerPlan& controller);
// The parts of the controller that the stage takes; empty: nothing is declared.
Resources resources_on(const GraphStage& stage, const MachineController& controller);
// The kernel core that the stage would be on there: stages on one core share its parts of the fpga. Its kernel's name,
// and with a modelled time what it takes, since nothing says that others are built alike; empty: no fpga, or not there.
std::string core_on(const GraphStage& stage, const ControllerPlan& controller);

// True if the kernel has the variant that the controller's back-end runs, and does nothing beyond that back-end.
bool runs_on(const KernelDecl& kernel, const ControllerPlan& controller);
// True if that is so of some back-end of the kind.
bool runs_on(const KernelDecl& kernel, ControllerKind kind);
// Why no back-end of the kind runs the variant that the kernel has for it: "keeps state"; empty: one does, or there is
// no variant.
std::string_view beyond(const KernelDecl& kernel, ControllerKind kind);

}  // namespace woa
