// Who still holds the blocks that an output with several readers passes on. Each reader gives a block back once;
// whoever the block came from gets it back once, from the last of them (docs/adr/0022-fan-out-trees.md).
//
// One thread; no allocation after construction. A block is under way once, and few are at a time: they are looked
// through one by one.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace woa {

class PassedBlocks {
 public:
  enum class Release : std::uint8_t { kNotHeld, kHeld, kLast };

  // At most so many blocks are under way at a time.
  explicit PassedBlocks(std::size_t blocks) { held_.reserve(blocks); }

  // `readers` of them, at least one, will give the block back.
  void hold(std::uint16_t region, std::uint32_t offset, std::uint32_t readers) {
    assert(held_.size() < held_.capacity());
    held_.push_back({region, offset, readers});
  }
  // kNotHeld: nobody holds it, and nothing changes; the peer is at fault. kLast: it goes back to whoever it came from.
  [[nodiscard]] Release release(std::uint16_t region, std::uint32_t offset) noexcept {
    const auto at = std::find_if(held_.begin(), held_.end(),
                                 [&](const Held& block) { return block.region == region && block.offset == offset; });
    if (at == held_.end()) return Release::kNotHeld;
    if (--at->readers > 0) return Release::kHeld;
    *at = held_.back();
    held_.pop_back();
    return Release::kLast;
  }

 private:
  struct Held {
    std::uint16_t region;
    std::uint32_t offset, readers;
  };
  std::vector<Held> held_;
};

}  // namespace woa
