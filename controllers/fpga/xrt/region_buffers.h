// Host memory that firings point into, as the card's buffers: a region's payloads move between that memory and the card
// without another copy in host memory.
//
// A region takes as much memory of the card as it has in the host, used or not, and the driver pins all of its pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "controllers/fpga/xrt/node_unit.h"
#include "runtime/controller/backend.h"

namespace woa {

// Payloads up to this size are copied beside command or result, rather than moved by themselves.
inline constexpr std::size_t kSmallBytes = 4096;

class RegionBuffers {
 public:
  // Makes a buffer of each region that may be registered, and a part of it for each block. Later calls make none.
  // Regions of small blocks need none. Returns the others without a buffer, which the host copies instead. One that the
  // driver refuses or the card has no room for has a line in the log.
  std::vector<const BackendMapping*> map(NodeUnit& unit, std::span<const BackendMapping> mappings);

  // The buffer of the block that begins at `data`; null: none does, or its region has no buffer.
  [[nodiscard]] const XrtBuffer* find(const std::byte* data) const noexcept;

 private:
  struct Region {
    XrtBuffer whole;
    std::uint64_t first_block = 0, block_step = 0;
    std::vector<XrtBuffer> blocks;  // behind `whole`: they go first
  };
  static Result<Region> make(NodeUnit& unit, const BackendMapping& mapping);

  std::vector<Region> regions_;  // by address
};

}  // namespace woa
