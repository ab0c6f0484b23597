// The cpu backend: kernels run on cores of this machine.
#pragma once

#include "runtime/controller/backend.h"

namespace woa {

// Always one device, never simulated: the processor. It serves every ordinal, with ControllerPlan::workers.
BackendFactory cpu_factory();

}  // namespace woa
