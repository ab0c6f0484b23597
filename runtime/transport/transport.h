// Transports: how activation packets and payloads get from one controller's memory into another's.
//
// A channel carries packets one way between two controllers: in order, loss-free, bounded. Its producer end is a
// Sender, its consumer end a Receiver. Headers go through a ring; payloads lie in the blocks of a region, which belongs
// to one output port and may serve several channels. The consumer gives a block back by naming it in the channel's
// return ring. Every shared word has one writer, and every word that somebody polls is grouped with what its poller
// owns. Who may claim how many blocks of an edge is EdgeCredits' business (credits.h, rule 8).
//
// Between hosts there is no memory that both ends map: each has a replica of a segment, connected to the others' once
// at start. The producer fills its replica of a block, and commit() writes it into the consumer's at
// the same offset (docs/adr/0014-replicated-segments.md). Who uses a channel need not know which it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
};

// Memory that both ends of a channel, or every user of a region, can map, or this process's replica of it. A value:
// copies name the same memory. loopback: shared ownership of heap memory. shm: a sealed memfd, whose descriptor may be
// sent to another process. ofi: a replica, whose description may be sent to another process.
class Segment {
 public:
  virtual ~Segment() = default;
  virtual std::size_t bytes() const noexcept = 0;
  // The descriptor that another process can open() it by (of a part: the whole), or -1 where there is none. Owned by
  // the segment.
  virtual int descriptor() const noexcept = 0;
  // What another process connect()s its own replica to this one by: opaque bytes, at most 1 KiB. Empty where memory is
  // shared. Whoever has it can write into this replica: it travels only to processes of the run.
  virtual std::string description() const = 0;
};

// What a consumer writes to free a block.
struct BlockReturn {
  std::uint32_t edge = 0;      // in the plan
  std::uint32_t offset = 0;    // as in the packet, in units of 64 bytes
  std::uint16_t region = 0;    // as in the packet
  std::uint16_t instance = 0;  // low 16 bits, for the producer's credits
  friend bool operator==(const BlockReturn&, const BlockReturn&) = default;
};

// The payloads that a channel's packets name by the number of their region.
struct ChannelRegion {
  std::uint16_t number = 0;  // as in the packet
  std::uint32_t blocks = 0;
  std::uint64_t block_bytes = 0;     // of payload and its CRC, a multiple of 64; Transport::header_room() on top
  std::shared_ptr<Segment> segment;  // blocks x (header room + block_bytes)
};

// What an end of a channel is given beside its spec and its segment.
struct ChannelEnd {
  ChannelEnd() = default;
  ChannelEnd(Doorbell other_controller) : other(other_controller) {}  // NOLINT(google-explicit-constructor)

  Doorbell other;  // of the other end's controller: rung by wake() where memory is shared
  Doorbell own;    // of this end's controller: rung by what arrives where it is not
  // All that the channel's packets may name, in the same order at both ends. Where memory is not shared, the channel's
  // segment keeps them: they may be used until it has gone, too.
  std::vector<ChannelRegion> regions;
};

// The producer end. One thread at a time. No call blocks, allocates or logs; where memory is shared none makes a system
// call either, wake() apart.
class Sender {
 public:
  virtual ~Sender() = default;  // closes: the consumer reads what was committed, then sees kClosed
  // Takes a place in the ring, not yet its position. Any number may be open; each is committed or cancelled once.
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
  // up, if its sequence is not the channel's next (next_sequence()).
  virtual Status commit_sealed(const ActivationPacket& header,
                               std::span<const std::byte> inline_payload = {}) noexcept = 0;
  virtual std::uint32_t next_sequence() const noexcept = 0;
  // Blocks that the consumer gave back since the last call, at most out.size(); returns how many. kClosed shows in
  // closed().
  virtual std::size_t poll_returns(std::span<BlockReturn> out) noexcept = 0;
  // Packets that the consumer has read so far, modulo 2^32; where memory is not shared, as far as the last reserve() or
  // poll_returns() heard of it.
  virtual std::uint32_t consumed() const noexcept = 0;
  virtual bool closed() const noexcept = 0;
  // Why the channel is closed: ok while it is open, or after the consumer closed it in order. kDataLoss: the consumer
  // returned a block out of turn or gave an impossible count of packets read; the message names what was expected and
  // found. kPeerLost: the wire lost the consumer.
  virtual Status status() const = 0;
  // Wakes the consumer's controller if it sleeps. Call after a batch of commits. May make one system call.
  virtual void wake() noexcept = 0;
};

// Who takes packets out of a channel.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  // `packet` is a private copy and has passed check(); its sequence is the expected one. `inline_payload` is borrowed
  // until this returns; with flag payload_crc it ends with the CRC, which the sink checks. False: stop here; the same
  // packet comes again with the next poll.
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
  // hears of what was consumed and given back by wake(), or after as many empty polls in a row.
  virtual std::size_t poll(PacketSink& sink, std::size_t max_packets) noexcept = 0;
  // Why nothing more will come: ok while open (or closed in order and drained: see closed()); kDataLoss after a lost,
  // repeated or damaged packet, kPeerLost when the wire lost the producer. The message names the sequence expected and
  // found, or the rejection. Poll delivers nothing after kDataLoss.
  virtual Status status() const = 0;
  // True when the producer closed and every packet was delivered.
  virtual bool closed() const noexcept = 0;
  virtual void give_back(const BlockReturn& block) noexcept = 0;
  // Wakes the producer's controller if it sleeps. Call after a batch of give_back or poll.
  virtual void wake() noexcept = 0;
};

class Rendezvous;  // rendezvous.h

// A way to build channels. Thread-safe: no. Everything here happens at start, before the first packet.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string_view name() const noexcept = 0;  // "loopback", "shm", "ofi"
  // Zeroed memory. kExhausted with the system's reason, kInvalid for 0 bytes. Costs address space only: pages are taken
  // when touched.
  virtual Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) = 0;
  // A segment by the descriptor that another process sent; takes the descriptor over. kInvalid if it is not sealed or
  // its size is not `bytes`. kUnsupported where the transport does not cross processes.
  virtual Result<std::shared_ptr<Segment>> open(int descriptor, std::size_t bytes) = 0;
  // `bytes` of a segment from `offset` on, as a segment that keeps the whole alive and has its descriptor: so one
  // descriptor serves any number of channels. kInvalid: not all within it, or `offset` is no multiple of a page.
  // kUnsupported where memory is not shared.
  virtual Result<std::shared_ptr<Segment>> part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                                std::size_t bytes) = 0;
  // This process's replica in memory that it has mapped already (from a page on, read-write): a region that other
  // controllers of its host map too, who then see what arrives, and whose payloads are sent from there. kExhausted with
  // the reason; kUnsupported where memory is shared.
  virtual Result<std::shared_ptr<Segment>> adopt(std::unique_ptr<Mapping> memory) = 0;
  // Connects this process's replica to another's by its description(); the other process does the same with this one's.
  // Before an end is opened on it. A channel has two replicas; a region's producer connects to each consumer's. Waits
  // until the peer answers, 10 s at most. kInvalid: no such description, or of another size or provider. kPeerLost: the
  // peer does not answer. kUnsupported where memory is shared.
  virtual Status connect(const std::shared_ptr<Segment>& segment, std::string_view description) = 0;
  // While connect() waits it asks `given_up`; true ends the wait with kPeerLost. Null: it waits as long as it may.
  virtual void give_up_when(std::function<bool()>) {}
  // kExhausted with the system's reason; kInvalid for a segment of another transport.
  virtual Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access access) = 0;
  // Bytes in front of each block of a region, where the header that comes with the payload lands: a multiple of 64, 0
  // where memory is shared. BlockPool gives offsets behind it.
  virtual std::uint32_t header_room() const noexcept = 0;
  // Packets that this process has sent over a wire since the transport was made; always 0 where memory is shared. Any
  // thread.
  virtual std::uint64_t packets() const noexcept { return 0; }
  // Bytes of the segment that a channel needs. kInvalid names the field of `spec` that is out of bounds.
  virtual Result<std::size_t> channel_bytes(const ChannelSpec& spec) const = 0;
  // The two ends; exactly one of each per segment, or per pair of connected replicas. The doorbells must outlive the
  // end. kInvalid: a segment of another size, or a replica that is not connected.
  virtual Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                      ChannelEnd end) = 0;
  virtual Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                          ChannelEnd end) = 0;
  // Marks both ends of a channel closed on behalf of a process that died; of replicas, the end that uses this one. Any
  // process that has the segment; idempotent.
  virtual Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) = 0;
  // How large payloads get from the sender's own memory into the receiver's, without a block between. Null where there
  // is no such way: memory is shared, or this is a wire for tests. Lives as long as the transport.
  virtual Rendezvous* rendezvous() noexcept { return nullptr; }
};

// Whether both ends of a channel map the same memory, or have a replica each.
inline bool shares_memory(const Transport& transport) noexcept { return transport.header_room() == 0; }

// kUnsupported where each end has a replica; `what` needs memory that both ends map ("updates by hardware").
inline Status require_shared_memory(const Transport& transport, std::string_view what) {
  if (shares_memory(transport)) return {};
  return {Code::kUnsupported, "transport '" + std::string(transport.name()) +
                                  "' has a replica of memory at each end, and " + std::string(what) +
                                  " need memory that both ends map; use loopback or shm"};
}

}  // namespace woa
