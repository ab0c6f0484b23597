// Rendezvous: a large payload goes straight from one process's memory into another's, without a block between, once the
// consumer has said where it is to land (docs/adr/0023-rendezvous-for-packed-messages.md).
//
// For wires; where memory is shared a block is no staging copy. A rendezvous has a segment of its own beside a
// channel's: the consumer grants one landing place at a time, the producer writes into it in chunks, each of which
// tells of itself. The two ends must come to the same transfers in the same order, with the same sizes: what is sent
// over the channel tells them of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "runtime/transport/wire.h"

namespace woa {

// What became of a call. None is logged.
enum class Transfer : std::uint8_t {
  kOk,
  kBackPressured,  // not yet: make the same call again when you have done something else
  kClosed,         // status() says why
  kRefused         // the consumer cannot register its memory: send this transfer another way
};

// Bytes of one transfer at most, which registrations are bounded by. Larger payloads are several transfers.
inline constexpr std::uint64_t kMostTransferBytes = 64 << 20;
// What travels in one write, of which the consumer hears: also what it may begin with.
inline constexpr std::uint64_t kTransferChunkBytes = 256 << 10;

// The producer end. One thread at a time. No call blocks or logs. Memory that was not registered before makes an
// allocation.
class RendezvousSender {
 public:
  // Waits until what was written has left the caller's memory, a second at most. To a peer that is lost it does not: if
  // that was only silent, and comes back, what was offered may still be read until the transport has gone.
  virtual ~RendezvousSender() = default;
  // Begins a transfer of `from`, 1 to kMostTransferBytes, which is borrowed until write() answered something else than
  // kBackPressured. False: it cannot be registered; send it another way. Not while another transfer is under way.
  [[nodiscard]] virtual bool offer(std::span<const std::byte> from) noexcept = 0;
  // Goes on with the transfer that was offered. kOk: all of it has left. kRefused: nothing was written.
  [[nodiscard]] virtual Transfer write() noexcept = 0;
  // Why write() answered kClosed: kDataLoss: the consumer granted what it was not asked for. kPeerLost: it closed, or
  // the wire lost it. Ok while open.
  [[nodiscard]] virtual Status status() const = 0;
};

// The consumer end. As above.
class RendezvousReceiver {
 public:
  // Within a transfer: waits until the producer closes, a second at most. One that was lost meanwhile, and comes back,
  // may still write into what was granted until the transport has gone.
  virtual ~RendezvousReceiver() = default;
  // Grants `to`, and goes on until all of it has landed. The producer may write into it from then on, and nowhere else.
  // kRefused: `to` cannot be registered; the producer hears of it.
  [[nodiscard]] virtual Transfer land(std::span<std::byte> to) noexcept = 0;
  // A producer may write into what it was granted as long as that is registered, which it may stay behind its transfer.
  // Takes that back, for memory that is to be given away; what the transfer under way lands in stays. Any bytes.
  virtual void forget(std::span<const std::byte> memory) noexcept = 0;
  // How many bytes of the transfer under way have landed, from the first on: those may be read.
  [[nodiscard]] virtual std::uint64_t landed() const noexcept = 0;
  // Why land() answered kClosed: kDataLoss: the producer wrote what was not granted, or a chunk was lost. kPeerLost: it
  // closed, or the wire lost it. Ok while open.
  [[nodiscard]] virtual Status status() const = 0;
};

// What a wire that can do this answers with (Wire::rendezvous()). At start, as the wire itself.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  // Bytes of the segment that each end needs; allocated and connected as a channel's.
  [[nodiscard]] virtual std::size_t rendezvous_segment_bytes() const noexcept = 0;
  // kInvalid: a segment of another size or transport, or one that is not connected. `own` is rung by what arrives; the
  // doorbell outlives the end.
  virtual Result<std::unique_ptr<RendezvousSender>> open_rendezvous_sender(std::shared_ptr<Replica> replica,
                                                                           Doorbell own) = 0;
  virtual Result<std::unique_ptr<RendezvousReceiver>> open_rendezvous_receiver(std::shared_ptr<Replica> replica,
                                                                               Doorbell own) = 0;
};

}  // namespace woa
