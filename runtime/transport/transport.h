// Transports: how activation packets and payloads get from one controller's memory into another's.
//
// A channel is a lane in one direction between two controllers: in order, loss-free, bounded. Its producer end is a
// Sender, its consumer end a Receiver. Headers go through a ring; payloads lie in the blocks of a region, which belongs
// to one output port and may serve several channels. The consumer gives a block back by naming it in the channel's
// return ring. Every shared word has one writer, and every word that somebody polls is grouped with what its poller
// owns. Who may claim how many blocks of an edge is EdgeCredits' business (edge_credits.h, rule 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/packet/activation_packet.h"

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
};

// Memory that both ends of a channel, or every user of a region, can map. A value: copies name the same memory.
// loopback: shared ownership of heap memory. shm: a sealed memfd, whose descriptor may be sent to another process.
class Segment {
 public:
  virtual ~Segment() = default;
  virtual std::size_t bytes() const noexcept = 0;
  // The descriptor that another process can open() it by, or -1 where there is none. Owned by the segment.
  virtual int descriptor() const noexcept = 0;
};

// A mapping of a segment; unmapped by the destructor. Aligned to 4096 bytes.
class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual std::span<std::byte> bytes() const noexcept = 0;
};

enum class Access : std::uint8_t { kRead, kReadWrite };

// What a consumer writes to free a block.
struct BlockReturn {
  std::uint32_t edge = 0;      // in the plan
  std::uint32_t offset = 0;    // as in the packet, in units of 64 bytes
  std::uint16_t region = 0;    // as in the packet
  std::uint16_t instance = 0;  // low 16 bits, for the producer's credits
  friend bool operator==(const BlockReturn&, const BlockReturn&) = default;
};

// The producer end. One thread at a time. No call blocks, allocates, logs or makes a system call, wake() apart.
class Sender {
 public:
  virtual ~Sender() = default;  // closes: the consumer reads what was committed, then sees kClosed
  // Takes a place in the ring, not yet its position. Any number may be open; each is committed or cancelled once.
  [[nodiscard]] virtual Push reserve() noexcept = 0;
  virtual void cancel() noexcept = 0;
  // Publishes `header` with the channel's next sequence, after everything written to its payload (release order). The
  // order of commits is the order of the channel. `inline_payload` is copied behind the header, cut to the channel's
  // inline_bytes (header.payload_bytes must already say the cut size). A header CRC is set or
  // cleared as the channel's spec says. Uses up one reservation.
  virtual void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload = {}) noexcept = 0;
  // The same for a header that a device built and sealed: written as it is. kDataLoss, and nothing is published or used
  // up, if its sequence is not the channel's next (next_sequence()).
  virtual Status commit_sealed(const ActivationPacket& header,
                               std::span<const std::byte> inline_payload = {}) noexcept = 0;
  virtual std::uint32_t next_sequence() const noexcept = 0;
  // Blocks that the consumer gave back since the last call, at most out.size(); returns how many. kClosed shows in
  // closed().
  virtual std::size_t poll_returns(std::span<BlockReturn> out) noexcept = 0;
  // Packets that the consumer has read so far, modulo 2^32.
  virtual std::uint32_t consumed() const noexcept = 0;
  virtual bool closed() const noexcept = 0;
  // Why the consumer cannot be believed any more: ok while open or closed in order; kDataLoss after a lost or repeated
  // return or an impossible count of packets read. The message names what was expected and found. Closed then.
  virtual Status status() const = 0;
  // Wakes the consumer's controller if it sleeps. Call after a batch of commits. May make one system call.
  virtual void wake() noexcept = 0;
};

// Who takes packets out of a channel.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  // `packet` is a private copy and has passed check(); its sequence is the expected one. `inline_payload` is borrowed
  // until this returns. False: stop here; the same packet comes again with the next poll.
  virtual bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept = 0;
};

inline constexpr int kPollsUntilLossShows = 64;

// The consumer end. One thread at a time. No call blocks, allocates, logs or makes a system call, wake() apart.
class Receiver {
 public:
  virtual ~Receiver() = default;  // closes: the producer sees kClosed
  // Delivers at most `max_packets` in order; returns how many were consumed. That packets were lost shows in
  // status() after kPollsUntilLossShows empty polls at the latest.
  virtual std::size_t poll(PacketSink& sink, std::size_t max_packets) noexcept = 0;
  // Why nothing more will come: ok while open (or closed in order and drained: see closed()); kDataLoss after a lost,
  // repeated or damaged packet. The message names the sequence expected and found, or the rejection. Poll delivers
  // nothing after that.
  virtual Status status() const = 0;
  // True when the producer closed and every packet was delivered.
  virtual bool closed() const noexcept = 0;
  virtual void give_back(const BlockReturn& block) noexcept = 0;
  // Wakes the producer's controller if it sleeps. Call after a batch of give_back or poll.
  virtual void wake() noexcept = 0;
};

class Doorbell;  // doorbell.h: what a controller sleeps on

// A way to build channels. Thread-safe: no. Everything here happens at start, before the first packet.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string_view name() const noexcept = 0;  // "loopback", "shm"
  // Zeroed memory. kExhausted with the system's reason, kInvalid for 0 bytes. Costs address space only: pages are taken
  // when touched.
  virtual Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) = 0;
  // A segment by the descriptor that another process sent; takes the descriptor over. kInvalid if it is not sealed or
  // its size is not `bytes`. kUnsupported where the transport does not cross processes.
  virtual Result<std::shared_ptr<Segment>> open(int descriptor, std::size_t bytes) = 0;
  // kExhausted with the system's reason; kInvalid for a segment of another transport.
  virtual Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access access) = 0;
  // Bytes of the segment that a channel needs. kInvalid names the field of `spec` that is out of bounds.
  virtual Result<std::size_t> channel_bytes(const ChannelSpec& spec) const = 0;
  // The two ends; exactly one of each per segment. `consumer` / `producer` are the doorbells of the other end's
  // controller, to be rung by wake(); they must outlive the end.
  virtual Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                      Doorbell consumer) = 0;
  virtual Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                          Doorbell producer) = 0;
  // Marks both ends of a channel closed on behalf of a process that died. Any process that has the segment; idempotent.
  virtual Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) = 0;
};

}  // namespace woa
