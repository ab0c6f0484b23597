#include "runtime/transport/ofi/rendezvous_receiver.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/transport/ofi/waits.h"

namespace woa::ofi {

OfiRendezvousReceiver::OfiRendezvousReceiver(std::shared_ptr<OfiSegment> segment, const RegistrationLimits& limits,
                                             Doorbell own)
    : segment_(std::move(segment)),
      registrations_(segment_->served()->fabric, RemoteAccess::kWrite, limits),
      end_(std::in_place, segment_, std::bit_ceil(kMostChunks), own),
      operation_(segment_->served()->fabric.make_operations(segment_->number(), 1)) {}

// The caller's memory is the caller's again when this returns: who may still be writing there is waited for.
OfiRendezvousReceiver::~OfiRendezvousReceiver() {
  const bool granted = told_ && registration_ != nullptr;
  end_.reset();
  const std::uint64_t begin = now_ns();
  while (granted && segment_->mailbox().awaits_peer() && now_ns() - begin < kCloseNs) nanosleep(&kNap, nullptr);
}

Transfer OfiRendezvousReceiver::land(std::span<std::byte> to) noexcept {
  end_->look(false);
  if (to_.empty()) grant(to);
  assert(to_.data() == to.data() && to_.size() == to.size());
  if (broken_ == Broken::kNo && !told_ && !tell()) return gone() ? Transfer::kClosed : Transfer::kBackPressured;
  if (registration_ == nullptr && broken_ == Broken::kNo) return finish(Transfer::kRefused);
  hear();
  if (broken_ == Broken::kNo && first_missing_ == chunks_of(to_.size())) return finish(Transfer::kOk);
  return gone() ? Transfer::kClosed : Transfer::kBackPressured;
}

void OfiRendezvousReceiver::grant(std::span<std::byte> to) noexcept {
  assert(!to.empty() && to.size() <= kMostTransferBytes);
  to_ = to;
  // What was written between two grants would be taken for a part of this one.
  if (!end_->mailbox().empty()) broken_ = Broken::kPlace;
  registration_ = registrations_.hold(to);
  GrantLine line;
  line.number = number_;
  line.refused = registration_ == nullptr ? 1 : 0;
  if (registration_ != nullptr) {
    line.bytes = to.size();
    line.address = registration_->address_of(to.data());
    line.key = registration_->key();
  }
  line.crc32c = line.checksum();
  std::memcpy(segment_->memory().data() + kGrantAt, &line, sizeof line);
}

// False: the wire has no room, or the write failed.
bool OfiRendezvousReceiver::tell() noexcept {
  const Post post = end_->fabric().write_line(segment_->piece(kGrantAt, sizeof(GrantLine)),
                                              end_->target(kGrantAt, kFirstLinePlace, number_), *operation_);
  end_->wait_for_room(post == Post::kBusy);
  if (post == Post::kFailed) broken_ = Broken::kWrite;
  told_ = post == Post::kPosted;
  if (told_) end_->announce(number_ + 1);
  return told_;
}

void OfiRendezvousReceiver::hear() noexcept {
  Immediate immediate;
  while (broken_ == Broken::kNo && end_->mailbox().pop(immediate)) {
    const std::uint32_t chunk = immediate.place - kFirstLinePlace;
    const bool agrees = !end_->fabric().wide() || immediate.sequence == number_;
    if (immediate.place < kFirstLinePlace || chunk >= chunks_of(to_.size()) || chunks_[chunk] || !agrees) {
      broken_ = Broken::kPlace, found_ = immediate.place;
      return;
    }
    chunks_.set(chunk);
    ++expected_;
  }
  while (first_missing_ < chunks_.size() && chunks_[first_missing_]) ++first_missing_;
  if (broken_ != Broken::kNo) return;
  if (end_->mailbox().overflowed()) broken_ = Broken::kPlace;
  if (end_->mailbox().nonsense()) broken_ = Broken::kState;
  if (broken_ == Broken::kNo && end_->overdue(expected_)) broken_ = Broken::kLost;
}

// Will nothing more come? What a producer announced before it closed may still be on its way.
bool OfiRendezvousReceiver::gone() const noexcept {
  const Mailbox& peer = end_->mailbox();
  if (broken_ != Broken::kNo || peer.lost() != Lost::kNo || peer.is_cut()) return true;
  return peer.peer_closed() && static_cast<std::int32_t>(peer.peer_next() - expected_) <= 0 && peer.empty();
}

std::uint64_t OfiRendezvousReceiver::landed() const noexcept {
  return std::min<std::uint64_t>(first_missing_ * kTransferChunkBytes, to_.size());
}

Transfer OfiRendezvousReceiver::finish(Transfer outcome) noexcept {
  if (registration_ != nullptr) registrations_.release(registration_);
  registration_ = nullptr;
  to_ = {};
  told_ = false;
  chunks_.reset();
  first_missing_ = 0;
  ++number_;
  return outcome;
}

Status OfiRendezvousReceiver::status() const {
  const std::string what = "rendezvous: transfer " + std::to_string(number_) + ": ";
  switch (broken_) {
    case Broken::kNo: break;
    case Broken::kPlace:
      return {Code::kDataLoss, what + "the producer wrote chunk " + std::to_string(found_) + " of " +
                                   std::to_string(chunks_of(to_.size())) + ", which was not expected"};
    case Broken::kState: return {Code::kDataLoss, what + "the producer's keep-alive is none, or damaged"};
    case Broken::kLost:
      return {Code::kDataLoss, what + "a chunk was lost; " + std::to_string(landed()) + " of " +
                                   std::to_string(to_.size()) + " bytes have landed"};
    case Broken::kWrite:
      return {Code::kPeerLost, what + "the grant was refused by the wire; look at the producer's log"};
  }
  if (Status lost = end_->lost(); !lost.ok()) return lost;
  if (!gone()) return {};
  return {Code::kPeerLost, what + "the producer closed when " + std::to_string(landed()) + " of " +
                               std::to_string(to_.size()) + " bytes had landed"};
}

}  // namespace woa::ofi
