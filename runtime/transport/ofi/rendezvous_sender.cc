#include "runtime/transport/ofi/rendezvous_sender.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "runtime/packet/crc32c.h"

namespace woa::ofi {

std::uint32_t GrantLine::checksum() const noexcept {
  return woa::crc32c(std::as_bytes(std::span(this, 1)).first(offsetof(GrantLine, crc32c)));
}

OfiRendezvousSender::OfiRendezvousSender(std::shared_ptr<OfiSegment> segment, const RegistrationLimits& limits,
                                         Doorbell own)
    : registrations_(segment->served()->fabric, RemoteAccess::kNone, limits),
      end_(std::move(segment), 2, own),
      operations_(end_.fabric().make_operations(end_.segment().number(), kChunksAtOnce)) {}

bool OfiRendezvousSender::offer(std::span<const std::byte> from) noexcept {
  assert(from_.empty() && !from.empty() && from.size() <= kMostTransferBytes);
  // Nobody writes there: the registration allows reading only.
  registration_ = registrations_.hold({const_cast<std::byte*>(from.data()), from.size()});
  if (registration_ != nullptr) from_ = from;
  return registration_ != nullptr;
}

Transfer OfiRendezvousSender::write() noexcept {
  end_.look(false);
  hear();
  if (broken_ != Broken::kNo) end_.wait_for_room(false);
  if (broken_ != Broken::kNo || end_.closed()) return finish(Transfer::kClosed);
  if (!granted_) return Transfer::kBackPressured;
  if (grant_.refused != 0) return finish(Transfer::kRefused);
  const Post post = post_chunks();
  note_what_left();
  const bool all = left_ == chunks_of(from_.size());
  end_.wait_for_room(post != Post::kFailed && !all);
  if (post == Post::kFailed) broken_ = Broken::kWrite;
  if (post == Post::kFailed) return finish(Transfer::kClosed);
  return all ? finish(Transfer::kOk) : Transfer::kBackPressured;
}

// A transfer that was cut off keeps its registration: the provider may still read.
Transfer OfiRendezvousSender::finish(Transfer outcome) noexcept {
  if (outcome == Transfer::kClosed) return outcome;
  registrations_.release(registration_);
  registration_ = nullptr;
  from_ = {};
  granted_ = false;
  posted_ = left_ = 0;
  ++number_;
  return outcome;
}

Post OfiRendezvousSender::post_chunks() noexcept {
  Post post = Post::kPosted;
  while (post == Post::kPosted && posted_ < chunks_of(from_.size())) {
    note_what_left();
    if (posted_ - left_ == kChunksAtOnce) return Post::kBusy;
    post = post_chunk(posted_);
    if (post == Post::kPosted) ++posted_;
  }
  return post;
}

Post OfiRendezvousSender::post_chunk(std::uint32_t chunk) noexcept {
  const std::uint64_t at = chunk * kTransferChunkBytes;
  const std::uint64_t bytes = std::min<std::uint64_t>(from_.size() - at, kTransferChunkBytes);
  const Target there{
      end_.remote().peer, grant_.address + at, grant_.key, {kFirstLinePlace + chunk, end_.remote().segment, number_}};
  return end_.fabric().write_last({from_.data() + at, bytes, registration_->descriptor()}, there, operation(chunk));
}

// What has left is behind everything before it: the peer is told only of that, so that it does not miss what waits
// here.
void OfiRendezvousSender::note_what_left() noexcept {
  for (; left_ < posted_ && !operation(left_).leaving.load(std::memory_order_acquire); ++left_)
    end_.announce(++announced_);
}

void OfiRendezvousSender::hear() noexcept {
  Immediate immediate;
  while (broken_ == Broken::kNo && end_.mailbox().pop(immediate)) {
    if (immediate.place != kFirstLinePlace || granted_ || from_.empty()) {
      broken_ = Broken::kPlace, found_ = immediate.place;
      return;
    }
    GrantLine line;  // a copy: the memory is the peer's to overwrite
    std::memcpy(&line, end_.segment().memory().data() + kGrantAt, sizeof line);
    broken_ = take(line);
  }
  if (broken_ != Broken::kNo) return;
  if (end_.mailbox().overflowed()) broken_ = Broken::kPlace;
  if (end_.mailbox().nonsense()) broken_ = Broken::kState;
  if (broken_ == Broken::kNo && end_.overdue(granted_ ? number_ + 1 : number_)) broken_ = Broken::kLost;
}

OfiRendezvousSender::Broken OfiRendezvousSender::take(const GrantLine& line) noexcept {
  if (line.magic != GrantLine::kMagic || line.crc32c != line.checksum() || line.refused > 1) return Broken::kLine;
  if (line.number != number_) return found_ = line.number, Broken::kNumber;
  if (line.refused == 0 && line.bytes != from_.size()) return found_ = line.bytes, Broken::kBytes;
  grant_ = line;
  granted_ = true;
  return Broken::kNo;
}

Status OfiRendezvousSender::status() const {
  const auto nonsense = [&](const std::string& what) {
    return Status(Code::kDataLoss, "rendezvous: transfer " + std::to_string(number_) + ": " + what +
                                       "; nothing was written there, the consumer is at fault");
  };
  switch (broken_) {
    case Broken::kNo: break;
    case Broken::kPlace: return nonsense("an immediate names place " + std::to_string(found_) + " out of turn");
    case Broken::kLine: return nonsense("its grant is none, or damaged");
    case Broken::kNumber: return nonsense("the grant is of transfer " + std::to_string(found_));
    case Broken::kBytes:
      return nonsense(std::to_string(found_) + " bytes were granted, expected " + std::to_string(from_.size()));
    case Broken::kState: return nonsense("the keep-alive is none, or damaged");
    case Broken::kLost: return nonsense("its grant was lost");
    case Broken::kWrite: return {Code::kPeerLost, "rendezvous: a write to the consumer was refused; look at its log"};
  }
  if (Status lost = end_.lost(); !lost.ok()) return lost;
  if (!end_.closed()) return {};
  return {Code::kPeerLost, "rendezvous: the consumer closed before transfer " + std::to_string(number_) + " was over"};
}

}  // namespace woa::ofi
