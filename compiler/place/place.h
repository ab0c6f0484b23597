// Chooses the controller of every stage.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/machine_file.h"

namespace woa {

// Sets Graph::controllers (the host, then in order of first use) and GraphStage::controller. A pin is kept; a kind
// alone means number 0 of it; without a pin a stage gets the first kind that its kernel has a variant for (cpu, gpu,
// fpga), cpu stages being dealt round robin over the machine's cpu controllers. Of these only such as have the
// capabilities that the stage needs (needs.h). Reports pins that the machine or the kernel does not allow. A `cpu:N`
// that a graph names always exists, but where the machine file lists links, it must have one.
void place(Graph& graph, const Machine& machine, Report& report);

// The kind of a kernel's variant that runs on a controller of that kind: cpu, opencl, rtl.
std::string_view variant_for(ControllerKind kind) noexcept;

}  // namespace woa
