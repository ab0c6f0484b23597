// Zeroed memory for a ring, shared by both of its ends at one address.
#pragma once

#include <new>
#include <vector>

#include "runtime/transport/ring_layout.h"

namespace woa::test {

class HeapChannel final : public Mapping {
 public:
  explicit HeapChannel(const ChannelSpec& spec)
      : pieces_((*ring_channel_bytes(spec) + sizeof(Piece) - 1) / sizeof(Piece)), bytes_(*ring_channel_bytes(spec)) {}
  std::span<std::byte> bytes() const noexcept override { return {pieces_.front().bytes, bytes_}; }

 private:
  struct alignas(ChannelWords) Piece {
    std::byte bytes[alignof(ChannelWords)]{};
  };
  mutable std::vector<Piece> pieces_;
  std::size_t bytes_;
};

}  // namespace woa::test
