#include "controllers/gpu/opencl/device_blocks.h"

#include <algorithm>
#include <string>
#include <utility>

namespace woa {

Status DeviceBlocks::allocate(const OpenCl& cl, cl_context context, std::span<const DeviceRegion> regions) {
  for (const DeviceRegion& region : regions) {
    regions_.resize(std::max<std::size_t>(regions_.size(), region.number + std::size_t{1}));
    for (std::uint32_t b = 0; b < region.blocks; ++b) {
      cl_int code = CL_SUCCESS;
      ClOwned<cl_mem> memory(cl.clCreateBuffer(context, CL_MEM_READ_WRITE, region.block_bytes, nullptr, &code),
                             {cl.clReleaseMemObject});
      if (code != CL_SUCCESS)
        return cl_failure(
            "clCreateBuffer of block " + std::to_string(b) + " of " + std::to_string(region.blocks) + ", " +
                std::to_string(region.block_bytes) +
                " bytes each (lower the window or the bound of the stages' outputs, or compile with --buffers least)",
            code);
      regions_[region.number].push_back({std::move(memory), {nullptr, {cl.clReleaseEvent}}});
    }
  }
  return {};
}

bool DeviceBlocks::used_by(const Firing& firing) noexcept {
  return std::ranges::any_of(firing.input_memory, hold) || std::ranges::any_of(firing.output_memory, hold);
}

void DeviceBlocks::set_writer(const OpenCl& cl, const PortMemory& port, cl_event writer) {
  cl.clRetainEvent(writer);
  regions_[port.region][port.block].writer.reset(writer);
}

}  // namespace woa
