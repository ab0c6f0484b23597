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

// GPUs before accelerators before CPUs, which are labelled as simulated; within a kind as the platforms list them.
// Devices that cannot compile a program are left out. Wakes the drivers in this process: they start threads, and some
// abort. kUnavailable: there is none.
Result<std::vector<OpenClDevice>> list_devices(const OpenCl& cl);

// The same list as a child process saw it, so that a driver that aborts or hangs does no harm here. Asked once per
// process; call it before anything else of OpenCL, because a process that has woken a driver must not fork.
// kUnavailable says what happened.
const Result<std::vector<DeviceDescription>>& probe_devices();

}  // namespace woa
