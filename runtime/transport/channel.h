// Channels: how activation packets get from one controller's memory into another's.
//
// A channel carries packets one way between two controllers: in order, loss-free, bounded. Its producer end is a
// Sender, its consumer end a Receiver. Headers go through a ring; payloads lie in the blocks of a region, which belongs
// to one output port and may serve several channels. The consumer gives a block back by naming it in the channel's
// return ring. Every shared word has one writer, or all write the same. Every word that somebody polls is grouped with
// what its poller owns.
//
// Ends are opened by a transport of one of two kinds: both ends map the same memory (shared_memory.h), or each has a
// replica of it (wire.h). The user of an end need not know which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "runtime/memory/pages.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/transport/doorbell.h"

namespace woa {

// Outcomes of the data path, not errors.
enum class Push : std::uint8_t {
  kOk,
  kBackPressured,  // no place now: go on with other work and try again
  kClosed          // the other end closed or died: nothing will ever be read again
};

inline constexpr std::uint32_t kMaxRingInlineBytes = 1U << 16;

struct ChannelSpec {
  std::uint32_t ring_slots = 64;     // a power of two: one per block, one per edge and instance for poison, and control
  std::uint32_t return_slots = 64;   // a power of two, at least the blocks that the consumer can hold
  std::uint32_t inline_bytes = 192;  // inline payload of a packet; a multiple of 64, 0 to kMaxRingInlineBytes
  bool header_crc = false;           // on towards device streams and between hosts
  // A consumer by wire may give back so many blocks before it tells the producer, which has as many to spare while it
  // does not wait for room.
  std::uint32_t kept_returns = 0;
};

// Bytes of a channel in shared memory, where it is a ring. kInvalid names the field of `spec` that is out of bounds.
Result<std::size_t> ring_channel_bytes(const ChannelSpec& spec);

// Memory that holds a channel, or the blocks of a region: a SharedSegment, or a process's Replica.
class Segment {
 public:
  virtual ~Segment() = default;
  virtual std::size_t bytes() const noexcept = 0;
  // Keeps the memory alive. kExhausted with the system's reason. Memory of this process alone can be written, whatever
  // access was asked for.
  virtual Result<std::unique_ptr<Mapping>> map(Access access) = 0;
};

// What a consumer writes to free a block.
struct BlockReturn {
  std::uint32_t edge = 0;      // in the plan
  std::uint32_t offset = 0;    // as in the packet, in units of 64 bytes
  std::uint16_t region = 0;    // as in the packet
  std::uint16_t instance = 0;  // low 16 bits, for the producer's credits
  friend bool operator==(const BlockReturn&, const BlockReturn&) = default;
};

// The producer end. One thread at a time. No call blocks, allocates or logs; where memory is shared none makes a system
// call either, wake() apart.
class Sender {
 public:
  virtual ~Sender() = default;  // closes: the consumer reads what was committed, then sees kClosed
  // Takes a place in the ring, not yet its position. Any number may be open; each is committed or cancelled once. A
  // place is free again once the consumer has read its packet: as many places as the ring has show that all were read.
  [[nodiscard]] virtual Push reserve() noexcept = 0;
  virtual void cancel() noexcept = 0;
  // Publishes `header` with the channel's next sequence, after everything written to its payload (release order). The
  // order of commits is the order of the channel. Where memory is not shared it goes out at once or, where the wire has
  // no room, with a later call of any kind: whoever waits for an answer goes on calling, if only poll_returns({}), as
  // the end's own doorbell asks. `inline_payload` is copied behind the header, cut to the channel's
  // inline_bytes (header.payload_bytes must already say the cut size). A header CRC is set or
  // cleared as the channel's spec says. With flag payload_crc the inline payload ends with its CRC, and one in a block
  // has it behind it (payload_crc.h): the transport carries it. Uses up one reservation.
  virtual void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload = {}) noexcept = 0;
  // The same for a header that a device built and sealed: written as it is. kDataLoss, and nothing is published or used
  // up, if its sequence is not the channel's next: the first packet has 1.
  virtual Status commit_sealed(const ActivationPacket& header,
                               std::span<const std::byte> inline_payload = {}) noexcept = 0;
  // Blocks that the consumer gave back since the last call, at most out.size(); returns how many.
  virtual std::size_t poll_returns(std::span<BlockReturn> out) noexcept = 0;
  // Why the channel is closed: ok while it is open, or after the consumer closed it in order. kDataLoss: the consumer
  // returned a block out of turn or gave an impossible count of packets read; the message names what was expected and
  // found. kPeerLost: the wire lost the consumer.
  virtual Status status() const = 0;
  // Wakes the consumer's controller if it sleeps. Call after a batch of commits. May make one system call.
  virtual void wake() noexcept = 0;
  // The same for what only a consumer needs that waits for room.
  virtual void wake_for_room() noexcept { wake(); }
  // Says whether this end waits for room. A consumer in shared memory may sleep though it could give something back:
  // wake() follows. One behind a wire keeps what it could give back while the producer has room without it.
  virtual void want_room(bool /*wanted*/) noexcept {}
  // The consumer's last word by want_room(); true where it cannot say.
  [[nodiscard]] virtual bool room_wanted() const noexcept { return true; }
};

// Whether nothing that this sender commits will ever be read: the other end closed or died.
[[nodiscard]] inline bool is_closed(Sender& sender) noexcept {
  const Push push = sender.reserve();
  if (push == Push::kOk) sender.cancel();
  return push == Push::kClosed;
}

// Who takes packets out of a channel.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  // `packet` is a private copy and has passed check(); its sequence is the expected one. `inline_payload` begins at a
  // multiple of 64 bytes, as kernels are promised, and is borrowed until this returns; with flag payload_crc it ends
  // with the CRC, which the sink checks. False: stop here; the same packet comes again with the next poll.
  virtual bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept = 0;
};

inline constexpr int kPollsUntilLossShows = 64;

// The consumer end. One thread at a time. No call blocks, allocates or logs; where memory is shared none makes a system
// call either, wake() apart.
class Receiver {
 public:
  virtual ~Receiver() = default;  // closes: the producer sees kClosed
  // Delivers at most `max_packets` in order; returns how many were consumed. That packets were lost shows in
  // status() after kPollsUntilLossShows empty polls at the latest; where memory is not shared, within 2 s. The producer
  // hears of what was consumed and given back by wake(), if it waits for room or has little to spare, or after as many
  // empty polls in a row.
  virtual std::size_t poll(PacketSink& sink, std::size_t max_packets) noexcept = 0;
  // Why nothing more will come: ok while open (or closed in order and drained: see closed()); kDataLoss after a lost,
  // repeated or damaged packet, kPeerLost when the wire lost the producer. The message names the sequence expected and
  // found, or the rejection. Poll delivers nothing after kDataLoss.
  virtual Status status() const = 0;
  // True when the producer closed and every packet was delivered.
  virtual bool closed() const noexcept = 0;
  virtual void give_back(const BlockReturn& block) noexcept = 0;
  // Wakes the producer's controller if it sleeps and waits for room. Call after a batch of give_back or poll.
  virtual void wake() noexcept = 0;
  // The producer's last word by want_room(); true where it cannot say.
  [[nodiscard]] virtual bool room_wanted() const noexcept { return true; }
  // Says whether this end's controller waits for room, to a producer that could tell of some.
  virtual void want_room(bool /*wanted*/) noexcept {}
};

}  // namespace woa
