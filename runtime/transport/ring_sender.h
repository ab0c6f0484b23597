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

class RingSender final : public Sender {
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
  // Writes a slot, all but its publish word. place() writes the next one and takes its position.
  Publication write(std::uint32_t slot, const HeaderWords& header, std::span<const std::byte> inline_payload) noexcept;
  Publication place(const HeaderWords& header, std::span<const std::byte> inline_payload) noexcept;

 private:
  // What the consumer wrote that cannot be: nothing it says is believed any more.
  enum class Broken : std::uint8_t { kNot, kReturn, kConsumed };

  [[nodiscard]] std::uint32_t committed() const noexcept { return static_cast<std::uint32_t>(cursor_.position()); }
  [[nodiscard]] bool full() const noexcept;
  [[nodiscard]] bool plausible(std::uint32_t consumed) const noexcept;
  void refresh_consumed() noexcept;

  std::shared_ptr<Mapping> mapping_;
  ChannelView channel_;
  Doorbell consumer_;
  bool header_crc_;
  Broken broken_ = Broken::kNot;
  std::uint32_t found_ = 0;     // what stood in place of what was expected
  std::uint32_t open_ = 0;      // reservations
  std::uint32_t consumed_ = 0;  // as last read: the shared word is looked at only when the ring seems full
  RingCursor cursor_;
  RingCursor returns_;
};

inline HeaderWords RingSender::number(const ActivationPacket& header, std::uint32_t sequence) const noexcept {
  // A CRC that came with the header is of another channel.
  constexpr auto kCrcFlag = std::uint64_t{kHeaderCrc} << (8 * (offsetof(ActivationPacket, flags) % 8));
  constexpr std::uint64_t kLowHalf = 0xffffffff;
  HeaderWords words = std::bit_cast<HeaderWords>(header);
  words[offsetof(ActivationPacket, flags) / 8] &= ~kCrcFlag;
  words[kPublishWord] = (words[kPublishWord] & ~kLowHalf) | sequence;
  words[offsetof(ActivationPacket, crc32c) / 8] &= kLowHalf;
  if (header_crc_) {
    auto packet = std::bit_cast<ActivationPacket>(words);
    seal(packet);
    words = std::bit_cast<HeaderWords>(packet);
  }
  return words;
}

inline Publication RingSender::write(std::uint32_t slot, const HeaderWords& header,
                                     std::span<const std::byte> inline_payload) noexcept {
  if (!inline_payload.empty()) {
    const std::span<std::byte> area = channel_.slots.inline_area(slot);
    std::copy_n(inline_payload.begin(), std::min(inline_payload.size(), area.size()), area.begin());
  }
  channel_.slots[slot].write(header);
  return {&channel_.slots[slot].words[kPublishWord], header[kPublishWord]};
}

inline Publication RingSender::place(const HeaderWords& header, std::span<const std::byte> inline_payload) noexcept {
  assert(open_ > 0);
  const Publication placed = write(cursor_.slot(), header, inline_payload);
  cursor_.advance();
  --open_;
  return placed;
}

}  // namespace woa
