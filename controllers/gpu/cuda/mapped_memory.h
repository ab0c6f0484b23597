// Host memory that firings point into, and its addresses on the device where that is registered (docs/adr/0049).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "controllers/gpu/cuda/context.h"
#include "runtime/controller/backend.h"

namespace woa {

// The mappings of one back-end. map() takes what it needs; later calls allocate nothing.
class MappedMemory {
 public:
  MappedMemory() = default;
  ~MappedMemory() { release(); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  // Registers what may be registered, in whole. A region that the driver refuses is copied by the host instead; a ring
  // that it refuses is an error, which names it. Returns the regions that are not registered.
  Result<RegionNumbers> map(std::shared_ptr<const CudaContext> context, const CudaDevice& device,
                            std::span<const BackendMapping> mappings);

  // Undoes all registrations. May make another context current.
  void release() noexcept;

  struct Place {
    cuda::DevicePtr device = 0;  // 0: not registered
    std::uint32_t ring = 0;      // number of the ring; without meaning in a region
  };
  // The place of `bytes` bytes at `data`. Those that lie in no mapping are not registered.
  [[nodiscard]] Place find(const void* data, std::size_t bytes) const noexcept;
  // All payloads that the stage reads or writes in host memory, but for those behind headers.
  [[nodiscard]] bool is_registered_for(std::uint32_t stage) const noexcept;
  [[nodiscard]] std::uint32_t rings() const noexcept { return rings_; }

 private:
  struct Part {
    std::span<std::byte> bytes;
    Place place;
    std::vector<std::uint32_t> stages;  // as in BackendMapping
  };
  std::vector<Part> parts_;  // by address
  std::uint32_t rings_ = 0;
};

}  // namespace woa
