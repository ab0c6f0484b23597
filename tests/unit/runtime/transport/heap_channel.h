// Zeroed memory for a ring, shared by both of its ends at one address.
#pragma once

#include <new>
#include <vector>

#include "runtime/transport/ring_layout.h"

namespace woa::test {

class HeapChannel final : public Mapping {
 public:
  explicit HeapChannel(const ChannelSpec& spec)
      : lines_((*ring_channel_bytes(spec) + 63) / 64), bytes_(*ring_channel_bytes(spec)) {}
  std::span<std::byte> bytes() const noexcept override { return {lines_.front().bytes, bytes_}; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64]{};
  };
  mutable std::vector<Line> lines_;
  std::size_t bytes_;
};

}  // namespace woa::test
