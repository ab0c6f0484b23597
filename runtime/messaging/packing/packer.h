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
#include "runtime/transport/any_transport.h"

namespace woa::packing {

// One thread at a time. No call blocks or logs. A refused one allocates to say why, and so does the first rendezvous
// from new memory. With shared memory only sending a packet may make a system call, to wake a sleeping receiver. The
// destructor may block for 1 s after a rendezvous. It loses a message that was begun and not ended; the receiver learns
// of it if a part was sent.
//
//     packer.begin();
//     packer.pack(bytes_of(count), SendMode::kSafer, ReceiveMode::kExpress);    // the receiver needs it to go on
//     packer.pack(rows, SendMode::kCheaper, ReceiveMode::kCheaper);
//     packer.end();
//
// Costs of the modes: a piece is copied once, into a block: *safer* and *cheaper* by pack(), *later* by end(). If the
// receiver reads the blocks in place (loopback, shm), that copy is the transfer, and nothing is staged. Between hosts
// (ofi) the wire then writes the block into the receiver's memory. There a large piece, *cheaper* or *later*, is not
// copied but goes by rendezvous: its memory is registered, and pack() (*later*: end()) answers kBackPressured until the
// receiver unpacks it and all of it has left. pack() sends an *express* piece that is not *later*, together
// with all that was packed before: one packet for each, so make several values that are needed at once one piece. Other
// packets are sent when a block is full, and by end().
class Packer {
 public:
  // `link` comes from allocate_link() for `spec`, and is connected if each end has its own. `end` holds its doorbells,
  // which must outlive the packer; regions in it are ignored. kInvalid: `link` is not of `spec`, or not connected.
  // Otherwise like AnyTransport::open_sender().
  static Result<std::unique_ptr<Packer>> open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                              ChannelEnd end = {});

  // Begins a message; kRefused within one. Once a call returned kClosed all do, and the open message is lost.
  Outcome begin() noexcept;
  // Appends a piece, which may be empty. It is borrowed as long as `send` says. If the link ends during its rendezvous,
  // it is borrowed until the packer is destroyed, which waits 1 s at most; after the loss of a receiver that may come
  // back, until the transport is destroyed. kBackPressured: a part of it may be on its way; repeat the same call, with
  // the piece unchanged, before any other. kRefused: no message is open, a mode is unknown, another call was
  // back-pressured, or:
  // - a *later* piece when the link's later_pieces are remembered already (a *cheaper* one counts as *later* behind a
  //   piece that is *later* and *express*);
  // - a *safer* piece behind one that is *later* and *express*. end() sends such a piece, and its receiver waits for it
  //   there, so pieces packed after it are sent after it; a safer piece cannot wait without being copied away.
  Outcome pack(std::span<const std::byte> piece, SendMode send, ReceiveMode receive) noexcept;
  // Sends the *later* pieces and the rest. kBackPressured: call it again, and no pack() between.
  Outcome end() noexcept;

  // Part of the sender's duty cycle while it waits between other calls: retries what found no room on the wire (ofi).
  // The end's own doorbell asks for it.
  void poll() noexcept { outgoing_.poll(); }

  // A piece's payload counts once pack() returned kOk.
  [[nodiscard]] Traffic traffic() const noexcept;
  // Why the link ended: kPeerLost: the receiver closed, or the wire lost it. kDataLoss: it broke a rule. Before that:
  // ok, or kInvalid for the last call that was refused.
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
  std::size_t sent_later_ = 0;    // of later_
  bool closed_ = false;           // a call returned kClosed: the members below keep their values, unused
  bool open_ = false;             // a message
  bool ending_ = false;           // its end() was back-pressured
  bool waiting_for_end_ = false;  // a piece was later and express
  std::optional<Unfinished> unfinished_;
  std::uint64_t done_ = 0;    // bytes written of the piece that is being written
  bool written_ = false;      // all bytes are, and only the packet is not sent
  bool offered_ = false;      // its next part was offered by rendezvous, and the receiver told
  bool refused_ = false;      // the rendezvous was: the rest goes through blocks
  std::uint32_t number_ = 0;  // of the next piece
  std::uint64_t messages_ = 0, payload_bytes_ = 0;
  Status refusal_;
};

}  // namespace woa::packing
