// One stage's built device program, with all that its launches share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/gpu/opencl/symbols.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/port_shape.h"

namespace woa {

struct DeviceProgram {
  LoadedStage stage;
  ClOwned<cl_program> program;
  ClOwned<cl_kernel> kernel;
  std::vector<PortShape> outputs;  // by port
  std::vector<cl_int> int_params;  // the function's last arguments
  cl_uint work_dims = 0;
  std::array<std::int32_t, 3> work_size{};  // dimension of the first output, or kByBytes
  static constexpr std::int32_t kByBytes = -1;
};

// Reads the source beside kernel.yaml and builds it. May take seconds. kUnsupported: the stage has no opencl variant,
// or one that this backend cannot launch. kNotFound: no source. kInvalid: it does not build (the message holds the
// compiler's log), or its function does not have the arguments of docs/kernels.md.
Result<DeviceProgram> build_stage(const OpenCl& cl, cl_context context, cl_device_id device, const LoadedStage& stage);

}  // namespace woa
