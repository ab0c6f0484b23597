// Tools link this to offer the Verilator backend. It exists in every build; without Verilator it says why there is
// none.
#pragma once

#include "runtime/controller/backend.h"

namespace woa {

// probe: one simulated device, or kUnavailable. make: any number of independent models.
BackendFactory verilator_factory();

}  // namespace woa
