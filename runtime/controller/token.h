// Tokens at rest, and the memory of those that came without a block to read.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/packet/activation_packet.h"

namespace woa {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};
// Region of a token that was passed on, whose block is no longer its own to give back, and of what has no block.
inline constexpr std::uint16_t kPassedOn = 0xffff;

// One token: the packet that brought it, and the edge that it came by. A copy names the same inline payload, which
// belongs to the InlineStore that it was kept in (or, while its packet is being received, to the channel).
struct Token {
  ActivationPacket header;
  std::span<const std::byte> inline_payload;  // if the header says so
  std::uint32_t edge = kNone;                 // kNone: no token
  [[nodiscard]] bool present() const noexcept { return edge != kNone; }
  [[nodiscard]] bool is_inline() const noexcept { return (header.flags & kInline) != 0; }
  [[nodiscard]] bool is_count() const noexcept { return header.kind == static_cast<std::uint8_t>(PacketKind::kCount); }
  [[nodiscard]] bool is_poison() const noexcept {
    return header.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
  }
  [[nodiscard]] bool is_absent() const noexcept { return (header.flags & kAbsent) != 0; }
};

// Places for inline payloads, all as large as the largest that may come. Aligned to 64 bytes, as kernels are promised.
// No allocation after construction; a place that is not used takes no memory.
class InlineStore {
 public:
  InlineStore() = default;
  InlineStore(std::size_t places, std::size_t most_bytes)
      : stride_((most_bytes + sizeof(Line) - 1) / sizeof(Line)),
        lines_(std::make_unique_for_overwrite<Line[]>(places * stride_)) {}

  // Copies the inline payload of `token`, if it has one, into `place`, and lets the token name it there.
  void keep(std::size_t place, Token& token) noexcept {
    if (!token.is_inline()) return;
    assert(token.inline_payload.size() <= stride_ * sizeof(Line));
    std::byte* const to = lines_[place * stride_].bytes;
    std::copy(token.inline_payload.begin(), token.inline_payload.end(), to);
    token.inline_payload = {to, token.inline_payload.size()};
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::size_t stride_ = 0;  // lines of a place
  std::unique_ptr<Line[]> lines_;
};

}  // namespace woa
