// The producer end of a channel in coherent memory; loopback and shm share it. Contract: Sender in channel.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>

#include "runtime/transport/doorbell.h"
#include "runtime/transport/ring_layout.h"
#include "runtime/transport/shared_memory.h"

namespace woa {

class alignas(128) RingSender final : public Sender {
 public:
  // `mapping` holds a zeroed channel of `spec`. Both ends number packets and returns from `first_sequence`: 1, but for
  // tests of the wrap at 2^32 (see RingCursor).
  RingSender(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell consumer,
             std::uint32_t first_sequence = 1);
  ~RingSender() override;
  RingSender(const RingSender&) = delete;
  RingSender& operator=(const RingSender&) = delete;

  [[nodiscard]] Push reserve() noexcept override;
  void cancel() noexcept override;
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override;
  Status status() const override;
  void wake() noexcept override { consumer_.ring(); }
  // Whether reserve() answers kClosed.
  [[nodiscard]] bool closed() const noexcept;

  [[nodiscard]] std::span<std::byte> memory() const noexcept { return mapping_->bytes(); }
  // The parts of a commit, for PreparedRing. `header` with a sequence of this channel, and with the CRC that its spec
  // asks for.
  [[nodiscard]] HeaderWords number(const ActivationPacket& header, std::uint32_t sequence) const noexcept;
  // kDataLoss: the sequence of a sealed header is not the next.
  [[nodiscard]] Status check_next(const ActivationPacket& sealed) const;
  [[nodiscard]] std::uint32_t next_sequence() const noexcept { return cursor_.expected(); }
  [[nodiscard]] std::uint32_t next_slot() const noexcept { return cursor_.slot(); }
  // Writes what follows the header in a slot; the header, all but its publish word. place() writes that of the next
  // slot and takes its position.
  void carry(std::uint32_t slot, std::span<const std::byte> inline_payload) noexcept;
  Publication write(std::uint32_t slot, const HeaderWords& header) noexcept;
  Publication place(const HeaderWords& header) noexcept;

 private:
  // What the consumer wrote that cannot be: nothing it says is believed any more.
  enum class Broken : std::uint8_t { kNot, kReturn, kConsumed };

  [[nodiscard]] std::uint32_t committed() const noexcept { return static_cast<std::uint32_t>(cursor_.position()); }
  [[nodiscard]] std::uint32_t open() const noexcept {  // reservations
    return static_cast<std::uint32_t>(channel_.slots.size()) - places_ - (committed() - consumed_);
  }
  [[nodiscard, gnu::noinline]] static HeaderWords sealed(const ActivationPacket& header,
                                                         std::uint32_t sequence) noexcept;
  [[nodiscard]] bool plausible(std::uint32_t consumed) const noexcept;
  void refresh_consumed() noexcept;

  std::shared_ptr<Mapping> mapping_;
  ChannelView channel_;
  Doorbell consumer_;
  bool header_crc_;
  Broken broken_ = Broken::kNot;
  std::uint32_t found_ = 0;     // what stood in place of what was expected
  std::uint32_t places_;        // free as far as known, and not reserved
  std::uint32_t consumed_ = 0;  // as last read: the shared word is looked at only when no place is left
  RingCursor cursor_;
  RingCursor returns_;
};

[[gnu::always_inline]] inline HeaderWords RingSender::number(const ActivationPacket& header,
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

inline void RingSender::carry(std::uint32_t slot, std::span<const std::byte> inline_payload) noexcept {
  if (inline_payload.empty()) return;
  const std::span<std::byte> area = channel_.slots.inline_area(slot);
  std::copy_n(inline_payload.begin(), std::min(inline_payload.size(), area.size()), area.begin());
}

[[gnu::always_inline]] inline Publication RingSender::write(std::uint32_t slot, const HeaderWords& header) noexcept {
  HeaderSlot& at = channel_.slots[slot];
  at.write(header);
  return {&at.words[kPublishWord], header[kPublishWord]};
}

[[gnu::always_inline]] inline Publication RingSender::place(const HeaderWords& header) noexcept {
  assert(open() > 0);
  const Publication placed = write(cursor_.slot(), header);
  cursor_.advance();
  return placed;
}

}  // namespace woa
