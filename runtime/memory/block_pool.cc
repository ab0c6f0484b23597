#include "runtime/memory/block_pool.h"

namespace woa {

Result<BlockPool> BlockPool::make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room) {
  const auto layout = BlockLayout::make(blocks, block_bytes, header_room);
  if (!layout.ok()) return layout.status();
  return BlockPool(*layout);
}

BlockPool::BlockPool(const BlockLayout& layout)
    : layout_(layout), free_(layout.blocks()), free_count_(layout.blocks()), holders_(layout.blocks(), 0) {
  for (std::uint32_t k = 0; k < layout.blocks(); ++k) free_[k] = layout.blocks() - 1 - k;
}

}  // namespace woa
