// The OpenCL devices of this machine, of all platforms, best first.
#pragma once

#include <vector>

#include "controllers/gpu/opencl/symbols.h"
#include "runtime/controller/backend.h"

namespace woa {

struct OpenClDevice {
  cl_device_id id = nullptr;
  DeviceDescription description;
};

// GPUs before accelerators before CPUs, which are labelled as simulated; within a kind in the platforms' order. Devices
// that cannot compile a program are left out. Initializes the drivers in this process: they start threads, and some
// abort. kUnavailable: no device.
Result<std::vector<OpenClDevice>> list_devices(const OpenCl& cl);

// The list that a child process made (probe_in_child.h). Probes once per process; call it before any other use of
// OpenCL, because a process that has initialized a driver must not fork. kUnavailable says what happened.
const Result<std::vector<DeviceDescription>>& probe_devices();

}  // namespace woa
