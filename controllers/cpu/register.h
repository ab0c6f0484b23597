// The cpu backend: kernels run on cores of this machine.
#pragma once

#include "runtime/controller/backend.h"

namespace woa {

// Always one device, never simulated: the processor. It serves every ordinal, with ControllerPlan::workers.
BackendFactory cpu_factory();
// The same, but kernels run in memory of their own, where it shows if they leave their ports (guarded_ports.h).
BackendFactory guarded_cpu_factory();

}  // namespace woa
