// The receiver's end: takes messages apart into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/messaging/packing/incoming.h"
#include "runtime/messaging/packing/link.h"
#include "runtime/messaging/packing/piece.h"
#include "runtime/transport/any_transport.h"

namespace woa::packing {

// One thread at a time. No call blocks or logs. One that is refused or fails allocates to say why, and so does the
// first rendezvous into new memory. With shared memory only calls that give blocks back may make a system call, to wake
// a sleeping sender. The destructor may block for 1 s after a rendezvous.
//
//     unpacker.begin();
//     unpacker.unpack(bytes_of(count), SendMode::kSafer, ReceiveMode::kExpress);
//     rows.resize(count);                                                       // as the express piece told
//     unpacker.unpack(rows, SendMode::kCheaper, ReceiveMode::kCheaper);
//     unpacker.end();
//
// The receiver names the same sizes and modes as the sender, in the same order. Each is compared with the descriptor
// that came with the piece: a difference, also in the number of pieces, ends the link with kInvalid and what both said.
// A sender that breaks a rule of how messages travel (piece.h, link.h) ends it with kDataLoss. Whatever the sender
// does, no byte outside the link's blocks is read, and only the caller's memory is written.
//
// Between hosts a large piece may come by rendezvous (docs/packing.md): unpack(), or end() for pieces that it fills in,
// then lets the sender write into the caller's memory. If the link ends meanwhile, `to` may still be written into until
// the unpacker is destroyed; after the loss of a sender that may come back, until the transport is destroyed.
//
// Any call may return kBackPressured, when what it needs is not there yet: repeat the same call before any other.
class Unpacker {
 public:
  // `link` comes from allocate_link() for `spec`, and is connected if each end has its own. `end` holds its doorbells,
  // which must outlive the unpacker; regions in it are ignored. kInvalid: `link` is not of `spec`, or not connected.
  // Otherwise like AnyTransport::open_receiver().
  static Result<std::unique_ptr<Unpacker>> open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                ChannelEnd end = {});

  // Begins the next message when its first packet is there. The last message's views end here. kRefused within a
  // message. kClosed with an ok status(): the sender closed, and there are no more messages.
  Outcome begin() noexcept;
  // Copies the next piece to `to`, at once; one that is *later* and *cheaper* is copied by end(), and `to` must stay
  // until then. kRefused: no message is open, a mode is unknown, another call was back-pressured, more *later* and
  // *cheaper* pieces than the link has later_pieces, or a *safer* piece behind one that is *later* and *express*, which
  // no packer packs.
  Outcome unpack(std::span<std::byte> to, SendMode send, ReceiveMode receive) noexcept;
  // Gives the next piece out in place, read-only and aligned to 16 bytes, until the next begin() that is not refused,
  // or the end of the unpacker. `out` is set when this returns kOk, for *later* and *cheaper* when end() does, and must
  // stay until then. A broken sender may still change what the view shows. kRefused as for unpack(), and in two cases
  // in which unpack() takes the piece:
  // - the piece is larger than a block less 16 bytes;
  // - views keep all blocks but one, which the rest of the message needs (kExhausted): give the link more blocks.
  Outcome view(std::uint64_t bytes, SendMode send, ReceiveMode receive, std::span<const std::byte>& out) noexcept;
  // Fills in *later* and *cheaper* pieces, and ends the message. Everything may be used once it returned kOk.
  Outcome end() noexcept;

  // Revokes the grants to write into `memory`; call it before the memory is given to somebody else. Between hosts large
  // pieces land in the caller's memory directly, and a sender that breaks the rules may write into memory that was
  // granted once until other memory takes its place among the registrations, or the unpacker is destroyed.
  void forget(std::span<const std::byte> memory) noexcept { incoming_->forget(memory); }

  // A piece's payload counts once it was unpacked or viewed with kOk.
  [[nodiscard]] Traffic traffic() const noexcept;
  // While unpack() of an *express* piece, or end(), is back-pressured: bytes of the awaited piece that are there, from
  // the first on. They may be read.
  [[nodiscard]] std::uint64_t arrived() const noexcept;
  // Why the link ended: kInvalid: both sides did not name the same pieces. kDataLoss: a packet was lost, or the sender
  // broke a rule. kPeerLost: it closed within a message, or the wire lost it. Before that, or closed in order: ok, or
  // kInvalid or kExhausted for the last call that was refused.
  [[nodiscard]] Status status() const;

 private:
  // The target of a piece: memory, or a view.
  struct Target {
    std::byte* to = nullptr;
    std::span<const std::byte>* view = nullptr;
    friend bool operator==(const Target&, const Target&) = default;
  };
  struct Wanted {
    Piece piece;
    Target target;
    std::uint32_t number = 0;
    friend bool operator==(const Wanted&, const Wanted&) = default;
  };

  Unpacker(std::unique_ptr<Incoming> incoming, const LinkSpec& spec);
  Outcome take(const Wanted& wanted) noexcept;
  [[nodiscard]] std::string problem_with(const Wanted& wanted) const;
  Outcome take_in_order(const Wanted& wanted) noexcept;
  [[nodiscard]] bool may_come_direct(const Wanted& wanted) const noexcept;
  Outcome differ(const Wanted& wanted) noexcept;
  Outcome note_later(const Wanted& wanted) noexcept;
  Outcome fill_later() noexcept;
  Outcome fetch(const Wanted& wanted, bool promised) noexcept;
  Outcome fetch_next(const Wanted& wanted, bool promised) noexcept;
  Outcome fetch_direct(const Wanted& wanted) noexcept;
  Outcome fetch_view(const Wanted& wanted, bool promised) noexcept;
  Outcome fetch_part(const Wanted& wanted) noexcept;
  Outcome refuse(Code code, const std::string& what) noexcept;
  Outcome fail(Code code, const std::string& what) noexcept;

  std::unique_ptr<Incoming> incoming_;
  LinkSpec spec_;
  std::vector<Wanted> later_;     // waiting for their bytes
  std::size_t filled_later_ = 0;  // of later_
  bool open_ = false;             // a message
  bool ending_ = false;           // its end() was back-pressured
  bool behind_all_ = false;       // a piece was later and express: the next ones come in the order of unpacking again
  std::optional<Wanted> unfinished_;
  std::uint64_t done_ = 0;    // bytes of the piece that is being copied
  bool landing_ = false;      // its next part comes by rendezvous
  std::uint32_t number_ = 0;  // of the next piece
  std::uint64_t messages_ = 0, payload_bytes_ = 0, copied_bytes_ = 0;
  Status refusal_;
};

}  // namespace woa::packing
