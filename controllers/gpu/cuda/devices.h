// The CUDA devices of this machine, in the driver's order.
#pragma once

#include <array>
#include <filesystem>
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

// Says which file of the driver in `folder`, which is /dev, is absent or not permitted, and what to do; empty if none
// is.
std::string why_no_device_files(const std::filesystem::path& folder);

// Variables of the environment that may hide devices.
inline constexpr std::array kCudaHidingVariables{"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"};

// The list that a child process made (probe_in_child.h). Probes once per process; call it before any other use of CUDA,
// because a process that has woken the driver must not fork. kUnavailable says what happened.
const Result<std::vector<DeviceDescription>>& probe_cuda_devices();

// Another process has the device alone, in the mode 'exclusive process'. Tries to make a context, which holds such a
// device for a moment: for commands that tell about devices, not for runs.
bool is_taken(const cuda::Library& cuda, const CudaDevice& device);
// Why a device that is taken cannot be used, and what to do.
inline constexpr const char* kTaken =
    "is in the mode 'exclusive process', and another process uses it: end that, or allow several by `nvidia-smi -c "
    "DEFAULT`";
// is_taken() of each device of list_cuda_devices(), asked by a child process; empty if it cannot tell.
std::vector<bool> probe_taken_cuda_devices();

}  // namespace woa
