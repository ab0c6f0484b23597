// The `cuda` back-end: variants of that name on NVIDIA's GPUs.
#pragma once

#include "runtime/controller/backend.h"

namespace woa {

// Sets CUDA_MODULE_LOADING in the environment, unless it is set: a kernel that is loaded late would wait for those that
// stay. Call it before threads start, like all of main()'s set-up.
BackendFactory cuda_factory();

}  // namespace woa
