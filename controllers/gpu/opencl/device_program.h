// One stage's built device program, with all that its launches share.
#pragma once

#include "controllers/gpu/gpu_stage.h"
#include "controllers/gpu/opencl/symbols.h"
#include "runtime/controller/backend.h"

namespace woa {

struct DeviceProgram : GpuStage {
  ClOwned<cl_program> program;
  ClOwned<cl_kernel> kernel;
};

// Reads the source beside kernel.yaml and builds it. May take seconds. kUnsupported: the stage has no opencl variant,
// or one that this backend cannot launch. kNotFound: no source. kInvalid: it does not build (the message holds the
// compiler's log), or its function does not have the arguments of docs/kernels.md.
Result<DeviceProgram> build_stage(const OpenCl& cl, cl_context context, cl_device_id device, const LoadedStage& stage);

}  // namespace woa
