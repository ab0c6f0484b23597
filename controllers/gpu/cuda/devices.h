// The CUDA devices of this machine, in the driver's order.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "controllers/gpu/cuda/library.h"
#include "runtime/controller/backend.h"

namespace woa {

struct CudaDevice {
  cuda::Device id = 0;
  DeviceDescription description;
  int driver = 0;                    // version of CUDA that the driver is for: 12040
  int capability = 0;                // 75: sm_75
  std::array<int, 3> most_blocks{};  // of a grid
  int multiprocessors = 0;
  int most_shared_bytes = 0;      // of a block, where its kernel asks for more than the default
  bool is_exclusive = false;      // one process may use it at a time
  bool has_time_limit = false;    // of kernels: a display is attached
  bool writes_words = false;      // by streams: 64-bit memory operations
  bool registers_memory = false;  // of the host
};

// Wakes the driver in this process: it starts threads, and nothing may fork from then on. Devices that cannot be used
// are left out. kUnavailable: there is none; the message says why, and what to do.
Result<std::vector<CudaDevice>> list_cuda_devices(const cuda::Library& cuda);

// The list that a child process made, so that a driver that aborts or hangs does no harm here. Probes once per process;
// call it before any other use of CUDA. kUnavailable says what happened.
const Result<std::vector<DeviceDescription>>& probe_cuda_devices();

}  // namespace woa
