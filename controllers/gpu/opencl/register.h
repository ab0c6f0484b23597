// Tools link this to offer the OpenCL backend. It exists in every build; without OpenCL's headers it says why there is
// none.
#pragma once

#include "runtime/controller/backend.h"

namespace woa {

// probe: the devices of all platforms, best first, or kUnavailable. make: gpu:0 is the best, gpu:1 the next;
// kUnavailable beyond the last. Both list the devices in a child process first: call one of them before this process
// uses OpenCL in any other way.
BackendFactory opencl_factory();

}  // namespace woa
