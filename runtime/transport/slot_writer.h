// Writes the slots of a header ring, one after the other: what follows a header, the header with its sequence and its
// CRC, and last the word that publishes it, which a device may store in the host's place.
//
// Internal to runtime/transport. One thread; no allocation but for an error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/transport/ring_layout.h"
#include "runtime/transport/shared_memory.h"

namespace woa {

class SlotWriter {
 public:
  // `header_crc`: of the channel's spec. `first_sequence`: see RingCursor.
  SlotWriter(const HeaderRing& slots, bool header_crc, std::uint32_t first_sequence) noexcept
      : slots_(slots), header_crc_(header_crc), cursor_(slots.size(), first_sequence) {}

  // The next packet's.
  [[nodiscard]] std::uint32_t next_sequence() const noexcept { return cursor_.expected(); }
  // Packets that have a place, modulo 2^32.
  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(cursor_.position()); }
  // kDataLoss: the sequence of a sealed header is not the next.
  [[nodiscard]] Status check_next(const ActivationPacket& sealed) const;

  // Writes all of the next slot but the word that publishes it, and takes its place. The header gets its sequence, and
  // a CRC if those of the channel have one; a sealed one is written as it is.
  Publication place(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept;
  Publication place_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept;
  // Writes another packet in the place of one that is not published.
  Publication rewrite(const Publication& placed, std::uint32_t slot, const ActivationPacket& header,
                      std::span<const std::byte> inline_payload) noexcept;

 private:
  [[nodiscard]] HeaderWords number(const ActivationPacket& header, std::uint32_t sequence) const noexcept;
  [[nodiscard, gnu::noinline]] static HeaderWords sealed(const ActivationPacket& header,
                                                         std::uint32_t sequence) noexcept;
  void carry(std::uint32_t slot, std::span<const std::byte> inline_payload) noexcept;
  Publication write(std::uint32_t slot, const HeaderWords& header) noexcept;

  HeaderRing slots_;
  bool header_crc_;
  RingCursor cursor_;
};

[[gnu::always_inline]] inline HeaderWords SlotWriter::number(const ActivationPacket& header,
                                                             std::uint32_t sequence) const noexcept {
  if (header_crc_) return sealed(header, sequence);
  // A CRC that came with the header is of another channel.
  constexpr auto kCrcFlag = std::uint64_t{kHeaderCrc} << (8 * (offsetof(ActivationPacket, flags) % 8));
  constexpr std::uint64_t kLowHalf = 0xffffffff;
  HeaderWords words = words_of(header);
  words[offsetof(ActivationPacket, flags) / 8] &= ~kCrcFlag;
  words[kPublishWord] = (words[kPublishWord] & ~kLowHalf) | sequence;
  words[offsetof(ActivationPacket, crc32c) / 8] &= kLowHalf;
  return words;
}

inline void SlotWriter::carry(std::uint32_t slot, std::span<const std::byte> inline_payload) noexcept {
  if (inline_payload.empty()) return;
  const std::span<std::byte> area = slots_.inline_area(slot);
  std::copy_n(inline_payload.begin(), std::min(inline_payload.size(), area.size()), area.begin());
}

[[gnu::always_inline]] inline Publication SlotWriter::write(std::uint32_t slot, const HeaderWords& header) noexcept {
  HeaderSlot& at = slots_[slot];
  at.write(header);
  return {&at.words[kPublishWord], header[kPublishWord]};
}

// The payload goes first, before the header is in the processor's registers.
[[gnu::always_inline]] inline Publication SlotWriter::place(const ActivationPacket& header,
                                                            std::span<const std::byte> inline_payload) noexcept {
  carry(cursor_.slot(), inline_payload);
  const Publication placed = write(cursor_.slot(), number(header, cursor_.expected()));
  cursor_.advance();
  return placed;
}

}  // namespace woa
