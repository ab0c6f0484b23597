// Payloads that stay in a CUDA device between its controller's stages, and the order in which they are written.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controllers/gpu/cuda/context.h"
#include "runtime/controller/backend.h"

namespace woa {

class CudaBlocks {
 public:
  // kExhausted: the device has no room; the message lists what was asked for.
  Status allocate(const CudaContext& context, std::span<const DeviceRegion> regions);

  // True if the port's data lie in a block.
  [[nodiscard]] static bool hold(const PortMemory& port) noexcept { return port.memory == MemoryKind::kCuda; }
  // True if those of some port of the firing do.
  [[nodiscard]] static bool used_by(const Firing& firing) noexcept;

  // The address of a port whose data lie in a block.
  [[nodiscard]] cuda::DevicePtr address(const PortMemory& port) const noexcept;
  // Lets `queue`, whose stream this is, wait for the queue that wrote the block last.
  Status wait_for_writer(const cuda::Library& cuda, const PortMemory& port, std::uint32_t queue,
                         cuda::Stream stream) const noexcept;
  // Everything on the stream has written the block.
  Status set_writer(const cuda::Library& cuda, const PortMemory& port, std::uint32_t queue,
                    cuda::Stream stream) noexcept;

 private:
  struct Block {
    CudaOwned<cuda::Event> written;
    std::uint32_t queue = kNoQueue;
  };
  struct Region {
    DeviceMemory memory;
    std::uint64_t block_bytes = 0;
    std::vector<Block> blocks;
  };
  static constexpr std::uint32_t kNoQueue = ~std::uint32_t{0};
  [[nodiscard]] const Block& at(const PortMemory& port) const noexcept {
    return regions_[port.region].blocks[port.block];
  }

  std::vector<Region> regions_;  // by number; empty where host memory is
};

}  // namespace woa
