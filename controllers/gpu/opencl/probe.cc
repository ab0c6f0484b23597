// probe_devices(): a child process lists the devices.
#include "controllers/gpu/opencl/devices.h"
#include "runtime/controller/probe_in_child.h"

namespace woa {

const Result<std::vector<DeviceDescription>>& probe_devices() {
  static const auto devices =
      probe_in_child("the OpenCL driver", {.backend = "opencl", .device = ""}, []() -> Result<Descriptions> {
        const Result<OpenCl>& cl = open_cl();
        if (!cl.ok()) return cl.status();
        return descriptions(list_devices(*cl));
      });
  return devices;
}

}  // namespace woa
