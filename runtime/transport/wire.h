// Transports between hosts, where no memory is mapped by both ends: ofi (libfabric).
//
// Each process has a replica of a segment, connected to the others' once at start. The producer fills its replica of a
// block, and commit() writes it into the consumer's at the same offset (docs/adr/0014-replicated-segments.md).
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
#include "runtime/transport/channel.h"
#include "runtime/transport/doorbell.h"

namespace woa {

// Bytes in front of each block of a region, where the header that comes with the payload lands. BlockPool gives offsets
// behind it.
inline constexpr std::uint32_t kHeaderRoom = kPacketBytes;

// This process's memory of a segment that other processes have, too.
class Replica : public Segment {
 public:
  // What another process connects its own replica to this one by: opaque bytes, at most 1 KiB. Whoever has them can
  // write into this replica: they travel only to processes of the run.
  virtual std::string description() const = 0;
};

// The payloads that a channel's packets name by the number of their region.
struct ChannelRegion {
  std::uint16_t number = 0;  // as in the packet
  std::uint32_t blocks = 0;
  std::uint64_t block_bytes = 0;     // of payload and its CRC, a multiple of 64; kHeaderRoom on top
  std::shared_ptr<Replica> replica;  // blocks x (kHeaderRoom + block_bytes)
};

class Rendezvous;  // rendezvous.h

// Thread-safe: no. Everything but packets() happens at start, before the first packet.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual std::string_view name() const noexcept = 0;  // "ofi"
  // Zeroed memory. kExhausted with the system's reason, kInvalid for 0 bytes.
  virtual Result<std::shared_ptr<Replica>> allocate(std::string_view label, std::size_t bytes) = 0;
  // A replica in memory that this process has mapped already (from a page on, read-write): a region that other
  // controllers of its host map too, who then see what arrives, and whose payloads are sent from there. kExhausted with
  // the reason.
  virtual Result<std::shared_ptr<Replica>> adopt(std::unique_ptr<Mapping> memory) = 0;
  // Connects this process's replica to another's by its description(); the other process does the same with this one's.
  // Before an end is opened on it. A channel has two replicas; a region's producer connects to each consumer's. Waits
  // until the peer answers, 10 s at most; meanwhile it asks `given_up`, if not null, and true ends the wait. kInvalid:
  // no such description, or of another size or provider. kPeerLost: the peer does not answer.
  virtual Status connect(const std::shared_ptr<Replica>& replica, std::string_view description,
                         const std::function<bool()>& given_up) = 0;
  // All whom this process will ever hear of have been connected: strangers may find nobody at home from now on. Later
  // calls of connect() succeed only if this process reaches the other, and not the other way round.
  virtual void all_connected() noexcept {}
  // Bytes of each replica of a channel. kInvalid names the field of `spec` that is out of bounds.
  virtual Result<std::size_t> channel_bytes(const ChannelSpec& spec) const = 0;
  // The two ends; exactly one of each per pair of connected replicas. What arrives rings `own`, the doorbell of this
  // end's controller, which outlives the end. `regions`: all that the channel's packets may name, in the same order at
  // both ends; the channel's replica keeps them: they may be used until it has gone, too. kInvalid: a replica of
  // another size, or one that is not connected.
  virtual Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                                      Doorbell own, std::span<const ChannelRegion> regions) = 0;
  virtual Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec,
                                                          const std::shared_ptr<Replica>& replica, Doorbell own,
                                                          std::span<const ChannelRegion> regions) = 0;
  // Marks the end that uses this replica closed on behalf of a process that died. Idempotent.
  virtual Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica) = 0;
  // For a controller whose channels all take this wire, and whom only its own process rings: it sleeps on the wire
  // itself. One per transport, which outlives it; it outlives the ends. Null where there is no such way.
  virtual std::unique_ptr<Sleeper> make_sleeper(Doorbell /*own*/) { return nullptr; }
  // Packets that this process has sent since the transport was made. Any thread.
  virtual std::uint64_t packets() const noexcept = 0;
  // How large payloads get from the sender's own memory into the receiver's, without a block between. Null where there
  // is no such way. Lives as long as the transport.
  virtual Rendezvous* rendezvous() noexcept { return nullptr; }
};

// What another process connect_all()s its replicas of all these segments to these by: of each, in order, 2 bytes with
// the length of its description() (low byte first), and the description. It is a capability, as they are.
std::string describe_all(std::span<const std::shared_ptr<Replica>> replicas);
// Connects this process's replicas, in the same order, to those that `description` is of. kInvalid: it is no such
// description, or of another number of segments. Otherwise as Wire::connect().
Status connect_all(Wire& wire, std::span<const std::shared_ptr<Replica>> replicas, std::string_view description);

}  // namespace woa
