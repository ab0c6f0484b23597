// Devices that a child process lists: a driver that aborts or hangs there cannot harm this process.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "runtime/controller/backend.h"

namespace woa {

using Descriptions = std::vector<DeviceDescription>;

template <class Device>
Result<Descriptions> descriptions(const Result<std::vector<Device>>& devices) {
  if (!devices.ok()) return devices.status();
  Descriptions out;
  for (const Device& device : *devices) out.push_back(device.description);
  return out;
}

// Calls `list` in a child process. Its devices get everything but name and `simulated` from `like`. kUnavailable: the
// child has no device, or aborted or hung; the message says why. kExhausted: `list` returned that.
Result<Descriptions> probe_in_child(std::string_view driver, const DeviceDescription& like,
                                    const std::function<Result<Descriptions>()>& list);

}  // namespace woa
