// How a channel lies in its segment, as both ends of loopback and shm see it. Internal to runtime/transport and its
// tests.
//
//   ChannelWords   a cache line for each word, by who polls it
//   header ring    ring_slots x (64 + inline_bytes): word 5 (offset 40: sequence, device, region) publishes a slot. The
//                  inline area follows, so that a processor that fetches lines in pairs brings a short payload too
//   return ring    return_slots x 16: the turn in the second word publishes an entry
//
// The memory starts zeroed. Nothing in it is an address. Each word has one writer; close_channel() also stores 1 in the
// two that say who is gone.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "runtime/base/status.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/transport/channel.h"

namespace woa {

struct alignas(128) ChannelWords {  // the slots behind it begin at a pair of lines
  // polled by the producer
  alignas(64) std::atomic<std::uint32_t> consumed{0};       // by the consumer: packets read, modulo 2^32
  alignas(64) std::atomic<std::uint32_t> consumer_gone{0};  // by the consumer, when it closes, and by close_channel
  // polled by the consumer
  alignas(64) std::atomic<std::uint64_t> producer_end{0};   // by the producer, when it closes: end_mark(next sequence)
  alignas(64) std::atomic<std::uint32_t> producer_gone{0};  // by close_channel
  std::atomic<std::uint32_t> room_wanted{0};                // by the producer; looked at as seldom as the word before
};

// A header in words, as OutEdge::write_header() stores it: a word that was just written in parts is slow to read.
using HeaderWords = std::array<std::uint64_t, kPacketBytes / 8>;
inline constexpr std::size_t kPublishWord = offsetof(ActivationPacket, sequence) / 8;

[[gnu::always_inline]] inline HeaderWords words_of(const ActivationPacket& header) noexcept {
  HeaderWords words;
#pragma GCC unroll 8
  for (std::size_t k = 0; k < words.size(); ++k)
    std::memcpy(&words[k], reinterpret_cast<const std::byte*>(&header) + 8 * k, sizeof words[k]);
  return words;
}

struct alignas(kPacketBytes) HeaderSlot {
  std::array<std::atomic<std::uint64_t>, kPacketBytes / 8> words{};

  // Writes all but the publish word. It takes few stores: each costs time while the core's other thread reads the line.
  [[gnu::always_inline]] void write(const HeaderWords& header) noexcept {
    write_pair(0, header);
    write_pair(2, header);
    words[4].store(header[4], std::memory_order_relaxed);
    write_pair(6, header);
  }
  void publish(const HeaderWords& header) noexcept {
    write(header);
    words[kPublishWord].store(header[kPublishWord], std::memory_order_release);
  }
  [[nodiscard]] std::uint32_t sequence() const noexcept {
    return static_cast<std::uint32_t>(words[kPublishWord].load(std::memory_order_acquire));
  }
  // A copy, once the publish word was read with acquire order. A peer at fault may write the slot meanwhile: whoever
  // checks the copy checks its sequence, too, and nobody looks into the slot again.
  [[gnu::always_inline]] void read(ActivationPacket& to) const noexcept {
    std::memcpy(&to, static_cast<const void*>(words.data()), sizeof to);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

 private:
  [[gnu::always_inline]] void write_pair(std::size_t k, const HeaderWords& header) noexcept {
    using Pair [[gnu::vector_size(16)]] = std::uint64_t;
    const Pair pair = {header[k], header[k + 1]};
    std::memcpy(static_cast<void*>(&words[k]), &pair, sizeof pair);
  }
};

// A returned block as the ring moves it.
struct ReturnWords {
  std::uint64_t block = 0;  // edge, offset
  std::uint64_t mark = 0;   // turn, region, instance

  ReturnWords(const BlockReturn& returned, std::uint32_t turn) noexcept
      : block(returned.edge | (std::uint64_t{returned.offset} << 32)),
        mark(turn | (std::uint64_t{returned.region} << 32) | (std::uint64_t{returned.instance} << 48)) {}
};

struct alignas(16) ReturnSlot {
  std::atomic<std::uint64_t> block{0};
  std::atomic<std::uint64_t> mark{0};

  void publish(const ReturnWords& returned) noexcept {
    block.store(returned.block, std::memory_order_relaxed);
    mark.store(returned.mark, std::memory_order_release);
  }
};

static_assert(sizeof(ChannelWords) == 4 * 64 && sizeof(HeaderSlot) == 64 && sizeof(ReturnSlot) == 16 &&
              kPublishWord == 5);
static_assert(offsetof(ActivationPacket, sequence) % 8 == 0 && offsetof(ActivationPacket, crc32c) % 8 == 4 &&
                  std::endian::native == std::endian::little,
              "sequence is the low half of its word, the CRC the high half of its own");
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "the ring is shared by processes");

// The close word of a producer whose next packet would have had `next_sequence`; never 0.
constexpr std::uint64_t end_mark(std::uint32_t next_sequence) noexcept {
  return (std::uint64_t{1} << 32) | next_sequence;
}

// The header ring: slots, each with its inline area.
class HeaderRing {
 public:
  HeaderRing(std::byte* at, std::size_t slots, std::size_t inline_bytes) noexcept
      : at_(at), slots_(slots), stride_(sizeof(HeaderSlot) + inline_bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return slots_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return slots_ * stride_; }
  [[nodiscard]] std::size_t inline_bytes() const noexcept { return stride_ - sizeof(HeaderSlot); }
  HeaderSlot& operator[](std::size_t slot) const noexcept {
    return *reinterpret_cast<HeaderSlot*>(at_ + slot * stride_);
  }
  [[nodiscard]] std::span<std::byte> inline_area(std::size_t slot) const noexcept {
    return {at_ + slot * stride_ + sizeof(HeaderSlot), inline_bytes()};
  }

 private:
  std::byte* at_;
  std::size_t slots_, stride_;
};

// The parts of a mapped channel. A value that borrows the mapping.
struct ChannelView {
  ChannelWords* words;
  HeaderRing slots;
  std::span<ReturnSlot> returns;

  // `bytes` holds at least channel_bytes(spec).
  ChannelView(const ChannelSpec& spec, std::span<std::byte> bytes) noexcept;
};

// Whether a packet may be delivered on a channel of `spec`, apart from its place in the sequence; and why not.
bool keeps_rules(const ActivationPacket& packet, const ChannelSpec& spec) noexcept;
[[gnu::always_inline]] inline bool is_acceptable(const ActivationPacket& packet, const ChannelSpec& spec) noexcept {
  if (!spec.header_crc && is_plain_activate(packet))
    return (packet.flags & kInline) == 0 || packet.payload_bytes <= spec.inline_bytes;
  return keeps_rules(packet, spec);
}
std::string why_rejected(const ActivationPacket& packet, const ChannelSpec& spec);

// A position in a ring of `slots` (a power of two) entries, each published by its number: `first` + position, modulo
// 2^32. In zeroed memory the numbers of the first lap must not include 0.
class RingCursor {
 public:
  RingCursor(std::size_t slots, std::uint32_t first) noexcept : slots_(slots), first_(first) {}

  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint32_t slot() const noexcept { return static_cast<std::uint32_t>(position_ & (slots_ - 1)); }
  // The number that publishes the entry here.
  [[nodiscard]] std::uint32_t expected() const noexcept { return static_cast<std::uint32_t>(first_ + position_); }
  // What the entry holds until then: the number of the lap before.
  [[nodiscard]] std::uint32_t stale() const noexcept {
    return position_ < slots_ ? 0 : static_cast<std::uint32_t>(expected() - slots_);
  }
  void advance() noexcept { ++position_; }

 private:
  std::uint64_t slots_;
  std::uint32_t first_;
  std::uint64_t position_ = 0;
};

}  // namespace woa
