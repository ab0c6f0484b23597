// The sender's side of a link below the pieces: fills blocks with fragments and sends them. Internal to
// runtime/messaging/packing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/memory/block_pool.h"
#include "runtime/messaging/packing/link.h"
#include "runtime/messaging/packing/piece.h"
#include "runtime/transport/any_transport.h"
#include "runtime/transport/rendezvous.h"

namespace woa::packing {

// At most one block is open at a time. Back-pressure comes from the consumer alone, which gives a block back as soon as
// it has read it: so any number of blocks, even one, carries a message of any length.
class Outgoing {
 public:
  static Result<Outgoing> open(AnyTransport transport, const LinkSpec& spec, const Link& link, ChannelEnd end);

  // True if a descriptor and `bytes` behind it fit into the rest of the open block; false without one.
  [[nodiscard]] bool fits(std::uint64_t bytes) const noexcept {
    return at_ != nullptr && aligned(used_) + kDescriptorBytes + bytes <= pool_.block_bytes();
  }
  // Bytes that fit behind a descriptor; fits(0) must hold.
  [[nodiscard]] std::uint64_t room() const noexcept { return pool_.block_bytes() - aligned(used_) - kDescriptorBytes; }
  // Opens an empty block; none must be open.
  Outcome open_block() noexcept;
  // fits(bytes.size()) must hold. If the consumer reads blocks in place, this copy is the transfer; else commit()
  // writes the block into the consumer's memory.
  void append(const Descriptor& descriptor, std::span<const std::byte> bytes) noexcept;
  // Sends the open block, if there is one, as a packet of `message`, and wakes the consumer.
  Outcome commit(std::uint16_t port, std::uint64_t message) noexcept;

  // True if there is a rendezvous.
  [[nodiscard]] bool direct() const noexcept { return direct_ != nullptr; }
  // Like RendezvousSender::offer(); direct() must hold.
  [[nodiscard]] bool offer(std::span<const std::byte> from) noexcept { return direct_->offer(from); }
  // Continues what was offered, once the receiver was told. kRefused: the receiver cannot take it by rendezvous.
  Outcome write_direct() noexcept;

  // Retries what found no room on the wire.
  void poll() noexcept { sender_->poll_returns({}); }

  [[nodiscard]] bool has_block() const noexcept { return at_ != nullptr; }
  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return pool_.block_bytes(); }
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  [[nodiscard]] std::uint64_t copied_bytes() const noexcept { return copied_bytes_; }
  // Ok while open. kDataLoss: the consumer broke a rule. kPeerLost: it closed.
  [[nodiscard]] Status status() const;

 private:
  Outgoing(std::unique_ptr<Sender> sender, std::unique_ptr<Mapping> blocks, BlockPool pool,
           std::unique_ptr<RendezvousSender> direct) noexcept;
  [[nodiscard]] bool take_back() noexcept;

  std::unique_ptr<Sender> sender_;
  std::unique_ptr<Mapping> blocks_;
  BlockPool pool_;
  std::unique_ptr<RendezvousSender> direct_;  // null: none
  Status problem_;                            // that ended the link; nothing is sent any more
  std::byte* at_ = nullptr;                   // the open block
  std::uint32_t offset_ = 0;
  std::size_t used_ = 0;
  std::uint64_t packets_ = 0, copied_bytes_ = 0;
};

}  // namespace woa::packing
