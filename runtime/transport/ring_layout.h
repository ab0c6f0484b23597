// How a channel lies in its segment, as both ends of loopback and shm see it. Internal to runtime/transport and its
// tests.
//
//   ChannelWords   a cache line for each pair of writer and poller
//   header ring    ring_slots x (64 + inline_bytes): word 5 (offset 40: sequence, device, region) publishes a slot. The
//                  inline area follows, so that a processor that fetches lines in pairs brings a short payload too
//   return ring    return_slots x 16: the turn in the second word publishes an entry
//
// The memory starts zeroed. Nothing in it is an address, and each word has one writer.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/base/status.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/transport/channel.h"

namespace woa {

struct alignas(128) ChannelWords {  // so that the slots behind it begin at a pair of lines
  // polled by the producer
  alignas(64) std::atomic<std::uint32_t> consumed{0};       // by the consumer: packets read, modulo 2^32
  alignas(64) std::atomic<std::uint32_t> consumer_gone{0};  // by the consumer, when it closes
  alignas(64) std::atomic<std::uint32_t> producer_cut{0};   // by close_channel
  // polled by the consumer
  alignas(64) std::atomic<std::uint64_t> producer_end{0};  // by the producer, when it closes: end_mark(next sequence)
  alignas(64) std::atomic<std::uint32_t> consumer_cut{0};  // by close_channel
};

// A header as the ring moves it. Words, not fields: a word that was just written in parts is slow to read as a whole.
using HeaderWords = std::array<std::uint64_t, kPacketBytes / 8>;
inline constexpr std::size_t kPublishWord = offsetof(ActivationPacket, sequence) / 8;

struct alignas(kPacketBytes) HeaderSlot {
  std::array<std::atomic<std::uint64_t>, kPacketBytes / 8> words{};

  // All but the word that publishes.
  void write(const HeaderWords& header) noexcept {
    for (std::size_t k = 0; k < kPublishWord; ++k) words[k].store(header[k], std::memory_order_relaxed);
    for (std::size_t k = kPublishWord + 1; k < words.size(); ++k) words[k].store(header[k], std::memory_order_relaxed);
  }
  void publish(const HeaderWords& header) noexcept {
    write(header);
    words[kPublishWord].store(header[kPublishWord], std::memory_order_release);
  }
  // `published`: the publish word, read before with acquire order.
  [[nodiscard]] HeaderWords read(std::uint64_t published) const noexcept {
    HeaderWords header;
    for (std::size_t k = 0; k < kPublishWord; ++k) header[k] = words[k].load(std::memory_order_relaxed);
    header[kPublishWord] = published;
    for (std::size_t k = kPublishWord + 1; k < words.size(); ++k) header[k] = words[k].load(std::memory_order_relaxed);
    return header;
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

static_assert(sizeof(ChannelWords) == 6 * 64 && sizeof(HeaderSlot) == 64 && sizeof(ReturnSlot) == 16 &&
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
      : at_(at), slots_(slots), inline_bytes_(inline_bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return slots_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return slots_ * stride(); }
  [[nodiscard]] std::size_t inline_bytes() const noexcept { return inline_bytes_; }
  HeaderSlot& operator[](std::size_t slot) const noexcept {
    return *reinterpret_cast<HeaderSlot*>(at_ + slot * stride());
  }
  [[nodiscard]] std::span<std::byte> inline_area(std::size_t slot) const noexcept {
    return {at_ + slot * stride() + sizeof(HeaderSlot), inline_bytes_};
  }

 private:
  [[nodiscard]] std::size_t stride() const noexcept { return sizeof(HeaderSlot) + inline_bytes_; }

  std::byte* at_;
  std::size_t slots_, inline_bytes_;
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
bool is_acceptable(const ActivationPacket& packet, const ChannelSpec& spec) noexcept;
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
