// The receiver's side of a link below the pieces: receives packets, checks them, and reads their fragments in order.
// Internal to runtime/messaging/packing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/messaging/packing/link.h"
#include "runtime/messaging/packing/piece.h"
#include "runtime/transport/any_transport.h"
#include "runtime/transport/rendezvous.h"

namespace woa::packing {

// Reads one packet at a time. A block is given back when it was read to its end; a kept block (somebody has a view into
// it) only by release(). While a message may go on, at least one block is not kept, so that its sender does not wait
// for ever.
//
// Nothing that a sender writes is trusted: it is read once, checked, and then used.
class Incoming final : private PacketSink {
 public:
  static Result<std::unique_ptr<Incoming>> open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                ChannelEnd end);

  // Makes sure that there is something to read: a fragment, or the end of the message.
  Outcome next() noexcept;
  // After next() returned kOk. True: every packet of the message was read.
  [[nodiscard]] bool at_end() const noexcept { return current_.there && current_.last && read_all(); }

  // The next fragment, when not at_end(): its descriptor, and the number of bytes behind it in this packet.
  [[nodiscard]] Descriptor peek() const noexcept;
  [[nodiscard]] std::uint64_t rest() const noexcept { return current_.bytes.size() - current_.at - kDescriptorBytes; }
  // Returns the next fragment's bytes, at most rest(); goes on to the fragment behind them.
  std::span<const std::byte> take(std::uint64_t bytes) noexcept;

  // True if there is a rendezvous.
  [[nodiscard]] bool direct() const noexcept { return direct_ != nullptr; }
  // Receives the next transfer into `to`; direct() must hold. kRefused: it cannot land there, and comes in fragments.
  Outcome land(std::span<std::byte> to) noexcept;
  [[nodiscard]] std::uint64_t landed() const noexcept { return direct_->landed(); }
  void forget(std::span<const std::byte> memory) noexcept {
    if (direct_ != nullptr) direct_->forget(memory);
  }

  // Gives the current packet's block back if it was read to its end. Bytes from take() must not be used any more.
  void settle() noexcept;
  // Keeps the current packet's block. False: no other block would be left for the rest of the message.
  [[nodiscard]] bool keep() noexcept;
  // keep() in advance, for a packet still to come; keep_promised() then keeps that one.
  [[nodiscard]] bool promise() noexcept;
  void keep_promised() noexcept;
  // Gives kept blocks back; wakes the sender. Between messages.
  void release() noexcept;
  // Goes on to the next message; at_end() must hold.
  void finish() noexcept;

  // Ends the link.
  void fail(Code code, const std::string& what) noexcept;
  [[nodiscard]] std::uint64_t message() const noexcept { return message_; }
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  // Ok while open, or closed in order between two packets.
  [[nodiscard]] Status status() const { return problem_; }
  // True when the sender closed and every packet was read.
  [[nodiscard]] bool closed() const noexcept { return receiver_ != nullptr && !current_.there && receiver_->closed(); }

 private:
  struct Packet {
    std::span<const std::byte> bytes;
    std::size_t at = 0;  // of the next descriptor
    std::uint32_t offset = 0;
    bool there = false, last = false, kept = false;
  };

  Incoming(std::unique_ptr<Receiver> receiver, std::unique_ptr<Mapping> memory, const BlockLayout& blocks,
           std::unique_ptr<RendezvousReceiver> direct);
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override;
  [[nodiscard]] std::string problem_with(const ActivationPacket& packet) const;
  [[nodiscard]] bool read_all() const noexcept { return current_.at >= current_.bytes.size(); }
  [[nodiscard]] bool one_more_may_be_kept() const noexcept;
  Outcome poll() noexcept;
  void set_busy(std::uint32_t offset, bool busy) noexcept;
  void give_back(std::uint32_t offset) noexcept;
  void retire() noexcept;

  std::unique_ptr<Receiver> receiver_;          // null after a failure
  std::unique_ptr<RendezvousReceiver> direct_;  // null: none
  std::unique_ptr<Mapping> memory_;
  BlockLayout blocks_;
  Packet current_;
  std::vector<std::uint32_t> kept_;  // offsets of blocks that were read to their end
  std::size_t promised_ = 0;
  std::vector<bool> busy_;  // per block: it is current or kept
  std::uint64_t message_ = 0, packets_ = 0;
  Status problem_;
};

}  // namespace woa::packing
