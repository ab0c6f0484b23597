// The sender's end: assembles messages from pieces of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/messaging/packing/link.h"
#include "runtime/messaging/packing/outgoing.h"
#include "runtime/messaging/packing/piece.h"
#include "runtime/transport/transport.h"

namespace woa::packing {

// One thread at a time. No call blocks, allocates or logs, but a refused one allocates to say why. Where memory is
// shared none makes a system call either, but a packet that is sent may make one to wake a receiver that sleeps.
//
//     packer.begin();
//     packer.pack(bytes_of(count), SendMode::kSafer, ReceiveMode::kExpress);    // the receiver needs it to go on
//     packer.pack(rows, SendMode::kCheaper, ReceiveMode::kCheaper);
//     packer.end();
//
// What each mode costs: a piece is copied once, into a block, *safer* and *cheaper* by pack(), *later* by end(). Where
// the receiver reads the blocks in place (loopback, shm) that is the transfer, and nothing is staged. Between hosts
// (ofi) the wire then writes the block into the receiver's memory; a large piece, *cheaper* or *later*, is not copied
// but goes by rendezvous: its memory is registered, which allocates if it was not used so before, and pack() or end()
// waits until the receiver unpacks it, and all of it has left. An *express* piece that is not *later* is sent by pack()
// together with all that was packed before it: one packet for each, so several values that are needed at once are
// better one piece. Without it a packet is sent when a block is full, and by end().
class Packer {
 public:
  // `link` is as allocate_link() made it for `spec`, and connected where each end has its own. `end` is its doorbells,
  // which must outlive the packer; regions in it are not looked at. kInvalid: `link` is not of `spec`, or not
  // connected. Otherwise as Transport::open_sender().
  static Result<std::unique_ptr<Packer>> open(Transport& transport, const LinkSpec& spec, const Link& link,
                                              ChannelEnd end = {});
  // A message that was begun and not ended is lost; the receiver is told so if a part of it was sent.

  // Begins a message; kRefused within one. Once any call answered kClosed all do, and the message that was open is
  // lost.
  Outcome begin() noexcept;
  // Appends a piece, which may be empty. It is borrowed as long as `send` says; if the link ends while it goes by
  // rendezvous, until the packer has gone, which waits a second at most; after the loss of a receiver that may come
  // back, until the transport has gone. kBackPressured: a part of it may be on its way; make the same call
  // again, with the piece as it was, before any other. kRefused: no message is open, a mode is unknown, another call
  // was back-pressured, or:
  // - a *later* piece when the link's later_pieces are remembered already (also a *cheaper* one, behind the next case);
  // - a *safer* piece behind one that is *later* and *express*. Such a piece is sent by end() and its receiver waits
  //   for it there, so what is packed behind it is sent behind it; a safer piece cannot wait without being copied away.
  Outcome pack(std::span<const std::byte> piece, SendMode send, ReceiveMode receive) noexcept;
  // Reads what is *later* and sends what is left. kBackPressured: call it again, and no pack() between.
  Outcome end() noexcept;

  // Part of the sender's duty cycle while it makes no other call, and waits: what found no room on the wire (ofi) is
  // tried again. The end's own doorbell asks for it.
  void poll() noexcept { outgoing_.poll(); }

  // Payload counts from when a piece was packed with kOk.
  [[nodiscard]] Traffic traffic() const noexcept;
  // Why the link ended: kPeerLost: the receiver closed, or the wire lost it. kDataLoss: it broke a rule. While it has
  // not: ok, or kInvalid for the last call that was refused.
  [[nodiscard]] Status status() const;

 private:
  // A piece whose bytes are sent by end().
  struct Later {
    const std::byte* from = nullptr;
    Piece piece;
    std::uint32_t number = 0;
  };
  // A call that was back-pressured.
  struct Unfinished {
    const std::byte* from = nullptr;
    Piece piece;
    friend bool operator==(const Unfinished&, const Unfinished&) = default;
  };

  Packer(Outgoing outgoing, const LinkSpec& spec);
  [[nodiscard]] std::string problem_with(const Unfinished& call) const;
  [[nodiscard]] bool waits_for_end(const Piece& piece) const noexcept;
  Outcome pack_now(const Unfinished& call) noexcept;
  Outcome remember(const Unfinished& call) noexcept;
  Outcome write(const Later& piece, Place place) noexcept;
  Outcome write_fragment(const Later& piece, Place place) noexcept;
  [[nodiscard]] bool goes_direct(const Piece& piece) const noexcept;
  Outcome write_direct(const Later& piece) noexcept;
  Outcome next_block() noexcept;
  Outcome send_rest() noexcept;
  Outcome refuse(const std::string& what) noexcept;

  Outgoing outgoing_;
  std::uint32_t later_pieces_;  // at most
  std::uint64_t rendezvous_bytes_;
  std::vector<Later> later_;      // in the order of packing
  std::size_t sent_later_ = 0;    // of those
  bool closed_ = false;           // a call answered so: all that is below stays where it was, and is not read
  bool open_ = false;             // a message
  bool ending_ = false;           // its end() was back-pressured
  bool waiting_for_end_ = false;  // a piece was later and express
  std::optional<Unfinished> unfinished_;
  std::uint64_t done_ = 0;    // bytes written of the piece that is being written
  bool written_ = false;      // all of it is, and only its packet is not sent
  bool offered_ = false;      // its next part, by rendezvous, and the receiver is told so
  bool refused_ = false;      // that: what is left goes through blocks
  std::uint32_t number_ = 0;  // of the next piece
  std::uint64_t messages_ = 0, payload_bytes_ = 0;
  Status refusal_;
};

}  // namespace woa::packing
