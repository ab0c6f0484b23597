#include "runtime/messaging/packing/packer.h"

#include <algorithm>
#include <limits>
#include <string>

namespace woa::packing {

Result<std::unique_ptr<Packer>> Packer::open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                             ChannelEnd end) {
  auto outgoing = Outgoing::open(transport, spec, link, end);
  if (!outgoing.ok()) return outgoing.status();
  return std::unique_ptr<Packer>(new Packer(std::move(*outgoing), spec));
}

Packer::Packer(Outgoing outgoing, const LinkSpec& spec)
    : outgoing_(std::move(outgoing)), later_pieces_(spec.later_pieces), rendezvous_bytes_(spec.rendezvous_bytes) {
  later_.reserve(later_pieces_);
}

Outcome Packer::begin() noexcept {
  if (closed_) return Outcome::kClosed;
  if (open_) return refuse("begin() within a message; end() it first");
  refusal_ = {};
  open_ = true;
  return Outcome::kOk;
}

Outcome Packer::pack(std::span<const std::byte> piece, SendMode send, ReceiveMode receive) noexcept {
  if (closed_) return Outcome::kClosed;
  const Unfinished call{piece.data(), {piece.size(), send, receive}};
  if (const std::string problem = problem_with(call); !problem.empty()) return refuse(problem);
  const Outcome outcome = waits_for_end(call.piece) ? remember(call) : pack_now(call);
  unfinished_.reset();
  if (outcome == Outcome::kBackPressured) unfinished_ = call;
  closed_ = outcome == Outcome::kClosed;
  if (outcome != Outcome::kOk) return outcome;
  payload_bytes_ += call.piece.bytes;
  ++number_;
  return Outcome::kOk;
}

// The rule that the call breaks; empty if none.
std::string Packer::problem_with(const Unfinished& call) const {
  if (!open_) return "pack() without a message; begin() one first";
  if (ending_) return "pack() while end() is back-pressured; call end() again";
  if (unfinished_.has_value() && *unfinished_ != call)
    return "another piece while one of " + to_string(unfinished_->piece) + " is back-pressured; pack that one again";
  if (!valid(call.piece)) return "a piece of " + to_string(call.piece) + "; choose modes that exist";
  if (number_ == std::numeric_limits<std::uint32_t>::max()) return "more than 2^32 - 1 pieces; end() the message";
  if (waiting_for_end_ && call.piece.send == SendMode::kSafer)
    return "a safer piece behind one that is later and express, which is sent by end(); pack it before that one, or as "
           "cheaper";
  if (waits_for_end(call.piece) && later_.size() == later_pieces_)
    return "more than " + std::to_string(later_pieces_) +
           " pieces are to be read by end(); raise the link's later_pieces";
  return {};
}

bool Packer::waits_for_end(const Piece& piece) const noexcept {
  return piece.send == SendMode::kLater || waiting_for_end_;
}

Outcome Packer::pack_now(const Unfinished& call) noexcept {
  if (!written_) {
    const Outcome outcome = write({call.from, call.piece, number_}, Place::kHere);
    if (outcome != Outcome::kOk) return outcome;
  }
  written_ = true;
  if (call.piece.receive == ReceiveMode::kExpress && outgoing_.has_block()) {
    const Outcome outcome = outgoing_.commit(kMorePort, messages_);
    if (outcome != Outcome::kOk) return outcome;
  }
  written_ = false;
  return Outcome::kOk;
}

// Tells the receiver that the piece comes behind all others, unless from here on all pieces do.
Outcome Packer::remember(const Unfinished& call) noexcept {
  const Later later{call.from, call.piece, number_};
  if (!waiting_for_end_) {
    const Outcome outcome = write(later, Place::kBehindAll);
    if (outcome != Outcome::kOk) return outcome;
  }
  later_.push_back(later);
  if (call.piece.send == SendMode::kLater && call.piece.receive == ReceiveMode::kExpress) waiting_for_end_ = true;
  return Outcome::kOk;
}

// Continues where it was back-pressured.
Outcome Packer::write(const Later& piece, Place place) noexcept {
  const std::uint64_t bytes = place == Place::kHere ? piece.piece.bytes : 0;
  do {
    const bool direct = place == Place::kHere && goes_direct(piece.piece);
    const Outcome outcome = direct ? write_direct(piece) : write_fragment(piece, place);
    if (outcome != Outcome::kOk) return outcome;
  } while (done_ < bytes);
  done_ = 0;
  refused_ = false;
  return Outcome::kOk;
}

Outcome Packer::write_fragment(const Later& piece, Place place) noexcept {
  const std::uint64_t bytes = place == Place::kHere ? piece.piece.bytes : 0;
  if (!outgoing_.fits(whole(bytes, outgoing_.block_bytes()) ? bytes : 1)) {
    const Outcome outcome = next_block();
    if (outcome != Outcome::kOk) return outcome;
  }
  const std::uint64_t now = std::min(bytes - done_, outgoing_.room());
  outgoing_.append(describe(piece.piece, piece.number, place),
                   std::span(piece.from + done_, static_cast<std::size_t>(now)));
  done_ += now;
  return Outcome::kOk;
}

// Not for a piece that a block holds, since it may be viewed, nor for *safer*, which must not wait for the receiver.
bool Packer::goes_direct(const Piece& piece) const noexcept {
  return !refused_ && outgoing_.direct() && piece.send != SendMode::kSafer && piece.bytes >= rendezvous_bytes_ &&
         !whole(piece.bytes, outgoing_.block_bytes());
}

// Sends the next part by rendezvous: tells the receiver, then waits for its grant and until all has left.
Outcome Packer::write_direct(const Later& piece) noexcept {
  const std::uint64_t now = std::min(piece.piece.bytes - done_, kMostTransferBytes);
  if (!offered_) {
    const Outcome outcome = outgoing_.fits(0) ? Outcome::kOk : next_block();
    if (outcome != Outcome::kOk) return outcome;
    refused_ = !outgoing_.offer(std::span(piece.from + done_, static_cast<std::size_t>(now)));
    if (refused_) return Outcome::kOk;
    outgoing_.append(describe(piece.piece, piece.number, Place::kDirect), {});
    offered_ = true;
  }
  Outcome outcome = outgoing_.has_block() ? outgoing_.commit(kMorePort, messages_) : Outcome::kOk;
  if (outcome == Outcome::kOk) outcome = outgoing_.write_direct();
  if (outcome != Outcome::kOk && outcome != Outcome::kRefused) return outcome;
  offered_ = false;
  refused_ = outcome == Outcome::kRefused;
  if (!refused_) done_ += now;
  return Outcome::kOk;
}

Outcome Packer::next_block() noexcept {
  if (outgoing_.has_block()) {
    const Outcome outcome = outgoing_.commit(kMorePort, messages_);
    if (outcome != Outcome::kOk) return outcome;
  }
  return outgoing_.open_block();
}

Outcome Packer::end() noexcept {
  if (closed_) return Outcome::kClosed;
  if (!open_) return refuse("end() without a message; begin() one first");
  if (unfinished_.has_value())
    return refuse("end() while a piece of " + to_string(unfinished_->piece) + " is back-pressured; pack it again");
  ending_ = true;
  const Outcome outcome = send_rest();
  closed_ = outcome == Outcome::kClosed;
  if (outcome != Outcome::kOk) return outcome;
  later_.clear();
  sent_later_ = 0;
  number_ = 0;
  open_ = ending_ = waiting_for_end_ = false;
  ++messages_;
  return Outcome::kOk;
}

// Sends the *later* pieces, and the message's last packet.
Outcome Packer::send_rest() noexcept {
  for (; sent_later_ < later_.size(); ++sent_later_) {
    const Outcome outcome = write(later_[sent_later_], Place::kHere);
    if (outcome != Outcome::kOk) return outcome;
  }
  return outgoing_.commit(kLastPort, messages_);
}

Traffic Packer::traffic() const noexcept {
  return {messages_, outgoing_.packets(), payload_bytes_, outgoing_.copied_bytes()};
}

Status Packer::status() const {
  WOA_RETURN_IF_ERROR(outgoing_.status());
  return refusal_;
}

Outcome Packer::refuse(const std::string& what) noexcept {
  refusal_ = {Code::kInvalid, "packing: message " + std::to_string(messages_) + ", piece " + std::to_string(number_) +
                                  ": refused: " + what};
  return Outcome::kRefused;
}

}  // namespace woa::packing
