// Payloads that stay in an OpenCL device between its controller's stages: a buffer for each block, and the command that
// wrote it last.
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
  // True if those of some port of the firing do.
  [[nodiscard]] static bool used_by(const Firing& firing) noexcept;

  // The buffer of a port whose data lie in a block.
  [[nodiscard]] cl_mem memory(const PortMemory& port) const noexcept { return at(port).memory.get(); }
  // The command that wrote the block last, or is going to; null: none did.
  [[nodiscard]] cl_event writer(const PortMemory& port) const noexcept { return at(port).writer.get(); }
  void set_writer(const OpenCl& cl, const PortMemory& port, cl_event writer);

 private:
  struct Block {
    ClOwned<cl_mem> memory;
    ClOwned<cl_event> writer;
  };
  [[nodiscard]] const Block& at(const PortMemory& port) const noexcept { return regions_[port.region][port.block]; }

  std::vector<std::vector<Block>> regions_;  // by number; empty where host memory is
};

}  // namespace woa
