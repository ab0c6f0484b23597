#include "runtime/messaging/packing/unpacker.h"

#include <algorithm>
#include <cstring>

namespace woa::packing {
namespace {

bool waits_for_end(const Piece& piece) noexcept {
  return piece.send == SendMode::kLater && piece.receive == ReceiveMode::kCheaper;
}

bool known(const Descriptor& descriptor) noexcept {
  const std::uint64_t place = descriptor.mark >> 48;  // and what is reserved
  return valid(piece_of(descriptor)) && place >= static_cast<std::uint64_t>(Place::kHere) &&
         place <= static_cast<std::uint64_t>(Place::kDirect);
}

std::string text_of(std::uint32_t number, const Piece& piece) {
  return "piece " + std::to_string(number) + " of " + to_string(piece);
}

}  // namespace

Result<std::unique_ptr<Unpacker>> Unpacker::open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                 ChannelEnd end) {
  auto incoming = Incoming::open(transport, spec, link, end);
  if (!incoming.ok()) return incoming.status();
  return std::unique_ptr<Unpacker>(new Unpacker(std::move(*incoming), spec));
}

Unpacker::Unpacker(std::unique_ptr<Incoming> incoming, const LinkSpec& spec)
    : incoming_(std::move(incoming)), spec_(spec) {
  later_.reserve(spec.later_pieces);
}

Outcome Unpacker::begin() noexcept {
  if (open_) return refuse(Code::kInvalid, "begin() within a message; end() it first");
  refusal_ = {};
  incoming_->release();
  const Outcome outcome = incoming_->next();
  open_ = outcome == Outcome::kOk;
  return outcome;
}

Outcome Unpacker::unpack(std::span<std::byte> to, SendMode send, ReceiveMode receive) noexcept {
  return take({{to.size(), send, receive}, {to.data(), nullptr}, number_});
}

Outcome Unpacker::view(std::uint64_t bytes, SendMode send, ReceiveMode receive,
                       std::span<const std::byte>& out) noexcept {
  return take({{bytes, send, receive}, {nullptr, &out}, number_});
}

Outcome Unpacker::take(const Wanted& wanted) noexcept {
  if (const std::string problem = problem_with(wanted); !problem.empty()) return refuse(Code::kInvalid, problem);
  const Outcome outcome = take_in_order(wanted);
  unfinished_.reset();
  if (outcome == Outcome::kBackPressured) unfinished_ = wanted;
  if (outcome != Outcome::kOk) return outcome;
  incoming_->settle();
  payload_bytes_ += wanted.piece.bytes;
  ++number_;
  return Outcome::kOk;
}

// The rule that the call breaks; empty if none.
std::string Unpacker::problem_with(const Wanted& wanted) const {
  if (!open_) return "a piece without a message; begin() one first";
  if (ending_) return "a piece while end() is back-pressured; call end() again";
  if (unfinished_.has_value() && *unfinished_ != wanted)
    return "another piece while one of " + to_string(unfinished_->piece) + " is back-pressured; take that one again";
  if (!valid(wanted.piece)) return "a piece of " + to_string(wanted.piece) + "; choose modes that exist";
  if (behind_all_ && wanted.piece.send == SendMode::kSafer)
    return "a safer piece behind one that is later and express; no packer packs it";
  if (wanted.target.view != nullptr && !whole(wanted.piece.bytes, spec_.block_bytes))
    return "a view of " + std::to_string(wanted.piece.bytes) + " bytes in blocks of " +
           std::to_string(spec_.block_bytes) + "; unpack() it";
  if (!behind_all_ && waits_for_end(wanted.piece) && later_.size() == spec_.later_pieces)
    return "more than " + std::to_string(spec_.later_pieces) +
           " pieces are to be filled in by end(); raise the link's later_pieces";
  return {};
}

Outcome Unpacker::take_in_order(const Wanted& wanted) noexcept {
  if (wanted.piece.send == SendMode::kLater && !behind_all_) {
    const Outcome outcome = note_later(wanted);
    if (outcome != Outcome::kOk || waits_for_end(wanted.piece)) return outcome;
    behind_all_ = true;
  }
  if (behind_all_) {
    const Outcome outcome = fill_later();
    if (outcome != Outcome::kOk) return outcome;
  }
  return fetch(wanted, false);
}

// Takes the descriptor that marks where a later piece was packed; remembers the piece's target.
Outcome Unpacker::note_later(const Wanted& wanted) noexcept {
  const Outcome outcome = incoming_->next();
  if (outcome != Outcome::kOk) return outcome;
  if (incoming_->at_end() || incoming_->peek() != describe(wanted.piece, wanted.number, Place::kBehindAll))
    return differ(wanted);
  if (waits_for_end(wanted.piece)) {
    if (wanted.target.view != nullptr && !incoming_->promise())
      return refuse(Code::kExhausted, "views keep all blocks but one of " + std::to_string(spec_.blocks) +
                                          "; unpack() the piece, or raise the link's blocks");
    later_.push_back(wanted);
  }
  incoming_->take(0);
  return Outcome::kOk;
}

Outcome Unpacker::fill_later() noexcept {
  for (; filled_later_ < later_.size(); ++filled_later_) {
    const Outcome outcome = fetch(later_[filled_later_], true);
    if (outcome != Outcome::kOk) return outcome;
  }
  return Outcome::kOk;
}

// Reports what came in place of `wanted`.
Outcome Unpacker::differ(const Wanted& wanted) noexcept {
  const std::string asked = text_of(wanted.number, wanted.piece);
  if (incoming_->at_end()) {
    if (done_ != 0) return fail(Code::kDataLoss, "it ends after " + std::to_string(done_) + " bytes of " + asked);
    return fail(Code::kInvalid, "it ends where " + asked + " was asked for; both sides must name the same pieces");
  }
  const Descriptor found = incoming_->peek();
  if (!known(found)) return fail(Code::kDataLoss, "what stands where " + asked + " was asked for describes no piece");
  const std::string packed = text_of(number_of(found), piece_of(found));
  if (number_of(found) == wanted.number && piece_of(found) == wanted.piece)
    return fail(Code::kDataLoss, "the bytes of " + packed + " are not where they belong");
  if (done_ != 0) return fail(Code::kDataLoss, packed + " came within " + asked);
  return fail(Code::kInvalid, packed + " came where " + asked + " was asked for; both sides must name the same pieces");
}

Outcome Unpacker::fetch(const Wanted& wanted, bool promised) noexcept {
  do {
    const Outcome outcome = landing_ ? fetch_direct(wanted) : fetch_next(wanted, promised);
    if (outcome != Outcome::kOk) return outcome;
  } while (done_ < wanted.piece.bytes);
  done_ = 0;
  return Outcome::kOk;
}

// Fetches a part of the piece, in the way that the sender chose.
Outcome Unpacker::fetch_next(const Wanted& wanted, bool promised) noexcept {
  const Outcome outcome = incoming_->next();
  if (outcome != Outcome::kOk) return outcome;
  if (incoming_->at_end()) return differ(wanted);
  const Descriptor found = incoming_->peek();
  if (found == describe(wanted.piece, wanted.number, Place::kHere))
    return wanted.target.view != nullptr ? fetch_view(wanted, promised) : fetch_part(wanted);
  if (found != describe(wanted.piece, wanted.number, Place::kDirect) || !may_come_direct(wanted)) return differ(wanted);
  incoming_->take(0);
  incoming_->settle();
  landing_ = true;
  return fetch_direct(wanted);
}

bool Unpacker::may_come_direct(const Wanted& wanted) const noexcept {
  return incoming_->direct() && wanted.target.view == nullptr && wanted.piece.bytes != 0;
}

Outcome Unpacker::fetch_direct(const Wanted& wanted) noexcept {
  const std::uint64_t now = std::min(wanted.piece.bytes - done_, kMostTransferBytes);
  const Outcome outcome = incoming_->land(std::span(wanted.target.to + done_, static_cast<std::size_t>(now)));
  if (outcome != Outcome::kOk && outcome != Outcome::kRefused) return outcome;
  landing_ = false;
  if (outcome == Outcome::kOk) done_ += now;
  return Outcome::kOk;  // a refused part comes in fragments
}

Outcome Unpacker::fetch_view(const Wanted& wanted, bool promised) noexcept {
  if (incoming_->rest() < wanted.piece.bytes)
    return fail(Code::kDataLoss,
                text_of(wanted.number, wanted.piece) + " is in several parts, though a block holds it");
  if (promised) {
    incoming_->keep_promised();
  } else if (!incoming_->keep()) {
    return refuse(Code::kExhausted, "views keep all blocks but one of " + std::to_string(spec_.blocks) +
                                        "; unpack() the piece, or raise the link's blocks");
  }
  *wanted.target.view = incoming_->take(wanted.piece.bytes);
  done_ = wanted.piece.bytes;
  return Outcome::kOk;
}

Outcome Unpacker::fetch_part(const Wanted& wanted) noexcept {
  const std::uint64_t left = wanted.piece.bytes - done_;
  const std::span part = incoming_->take(std::min(left, incoming_->rest()));
  if (part.empty() && left != 0)
    return fail(Code::kDataLoss, "a part of " + text_of(wanted.number, wanted.piece) + " is empty");
  if (!part.empty()) std::memcpy(wanted.target.to + done_, part.data(), part.size());
  done_ += part.size();
  copied_bytes_ += part.size();
  return Outcome::kOk;
}

Outcome Unpacker::end() noexcept {
  if (!open_) return refuse(Code::kInvalid, "end() without a message; begin() one first");
  if (unfinished_.has_value())
    return refuse(Code::kInvalid,
                  "end() while a piece of " + to_string(unfinished_->piece) + " is back-pressured; take it again");
  ending_ = true;
  Outcome outcome = fill_later();
  if (outcome == Outcome::kOk) outcome = incoming_->next();
  if (outcome != Outcome::kOk) return outcome;
  if (!incoming_->at_end()) {
    const Descriptor found = incoming_->peek();
    if (!known(found)) return fail(Code::kDataLoss, "what stands behind its last piece describes no piece");
    return fail(Code::kInvalid, text_of(number_of(found), piece_of(found)) +
                                    " came where its end was asked for; both sides must name the same pieces");
  }
  incoming_->finish();
  later_.clear();
  filled_later_ = 0;
  number_ = 0;
  open_ = ending_ = behind_all_ = false;
  ++messages_;
  return Outcome::kOk;
}

std::uint64_t Unpacker::arrived() const noexcept { return done_ + (landing_ ? incoming_->landed() : 0); }

Traffic Unpacker::traffic() const noexcept { return {messages_, incoming_->packets(), payload_bytes_, copied_bytes_}; }

Status Unpacker::status() const {
  WOA_RETURN_IF_ERROR(incoming_->status());
  if (open_ && incoming_->closed())
    return {Code::kPeerLost, "packing: the sender closed within message " + std::to_string(messages_) +
                                 ", before piece " + std::to_string(number_) + "; read its log"};
  return refusal_;
}

Outcome Unpacker::refuse(Code code, const std::string& what) noexcept {
  refusal_ = {code, "packing: message " + std::to_string(messages_) + ", piece " + std::to_string(number_) +
                        ": refused: " + what};
  return Outcome::kRefused;
}

Outcome Unpacker::fail(Code code, const std::string& what) noexcept {
  incoming_->fail(code, what);
  return Outcome::kClosed;
}

}  // namespace woa::packing
