// The `cuda` back-end: variants of that name on NVIDIA's GPUs.
#pragma once

#include "runtime/controller/backend.h"

namespace woa {

// Sets variables of the environment that are not set, for the sake of kernels that stay. CUDA_MODULE_LOADING: a kernel
// that is loaded late would wait for them. CUDA_DEVICE_MAX_CONNECTIONS: so would a stream that shares a connection with
// one. Call it before threads start, like all of main()'s set-up.
BackendFactory cuda_factory();

}  // namespace woa
