// Payloads that stay in an OpenCL device between its controller's stages: a buffer for each block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controllers/gpu/opencl/symbols.h"
#include "runtime/controller/backend.h"

namespace woa {

class DeviceBlocks {
 public:
  // kExhausted: the device has no room.
  Status allocate(const OpenCl& cl, cl_context context, std::span<const DeviceRegion> regions);

  // True if the port's data lie in a block.
  [[nodiscard]] static bool hold(const PortMemory& port) noexcept { return port.memory == MemoryKind::kOpencl; }
  // The block of such a port.
  [[nodiscard]] cl_mem at(const PortMemory& port) const noexcept { return regions_[port.region][port.block].get(); }

 private:
  std::vector<std::vector<ClOwned<cl_mem>>> regions_;  // by number; empty where host memory is
};

}  // namespace woa
