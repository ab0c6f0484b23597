#include "runtime/transport/ofi/channel_endpoint.h"

#include <time.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/transport/ofi/library.h"
#include "runtime/transport/ofi/waits.h"

namespace woa::ofi {
namespace {

constexpr std::uint64_t kOverdueNs = 1'000'000'000;  // what is still on the way has come by then
// An end that waits for room again and again says so once: as long as it does not say the contrary, the peer only sends
// credits early.
constexpr std::uint32_t kUnwantedBeforeTold = 16;

std::string seconds(std::uint64_t ns) {
  const std::string tenths = std::to_string(ns / 100'000'000);
  return (tenths.size() < 2 ? "0" : tenths.substr(0, tenths.size() - 1)) + "." + tenths.back() + " s";
}

}  // namespace

ChannelEndpoint::ChannelEndpoint(std::shared_ptr<OfiSegment> segment, std::uint32_t lines, Doorbell own,
                                 Doorbell::For brings)
    : segment_(std::move(segment)),
      remote_(segment_->replicas().front()),
      own_(own),
      operations_(fabric().make_operations(segment_->number(), 3)),
      opened_ns_(now_ns()) {
  fabric().locked([&] { mailbox().open(segment_->memory().data() + ChannelMap::kPeerState, lines, own, brings); });
  segment_->served()->service.add(*this);
}

ChannelEndpoint::~ChannelEndpoint() {
  segment_->served()->service.remove(*this);
  const std::uint64_t begin = now_ns();
  // To a peer that is lost nothing gets through.
  const auto patient = [&] {
    return mailbox().lost() == Lost::kNo && !mailbox().is_cut() && now_ns() - begin < kCloseNs;
  };
  for (Post post = Post::kBusy; patient(); nanosleep(&kNap, nullptr)) {
    if (post == Post::kBusy) post = post_state(Word::kLast);
    const Operation& last = operations_[static_cast<std::size_t>(Word::kLast)];
    if (post == Post::kFailed || (post == Post::kPosted && !last.leaving.load(std::memory_order_acquire))) break;
    look(true);
  }
  fabric().locked([&] { mailbox().close(now_ns()); });
}

Target ChannelEndpoint::target(std::size_t at, std::uint32_t place, std::uint32_t sequence) const noexcept {
  return {remote_.peer, remote_.base + at, remote_.key, {place, remote_.segment, sequence}};
}

void ChannelEndpoint::look(bool always) noexcept {
  const std::uint64_t looks = fabric().looks();
  const bool sleeps_on_fabric = own_.rings_descriptor();
  const bool last = own_.prepared() && !sleeps_on_fabric;  // this is the last look before a sleep
  if (sleeps_on_fabric) fabric().attend();                 // though somebody else may have looked
  if (always || looks == seen_looks_) fabric().progress(!last);
  seen_looks_ = fabric().looks();
  if (last) segment_->served()->service.take_over();
}

void ChannelEndpoint::want_room(bool wanted) noexcept {
  unwanted_ = wanted ? 0 : unwanted_ + 1;
  const bool changes =
      wanted != wants_room_.load(std::memory_order_relaxed) && (wanted || unwanted_ >= kUnwantedBeforeTold);
  if (changes) wants_room_.store(wanted, std::memory_order_relaxed);
  if (!changes && !untold_.load(std::memory_order_relaxed)) return;
  untold_.store(!closed() && post_state(Word::kRoom) == Post::kBusy, std::memory_order_relaxed);
}

bool ChannelEndpoint::overdue(std::uint32_t expected) noexcept {
  const Mailbox& peer = mailbox();
  if (!peer.beating() || static_cast<std::int32_t>(peer.peer_next() - expected) <= 0) {
    behind_since_ns_ = 0;
    return false;
  }
  const std::uint64_t now = now_ns();
  if (behind_since_ns_ == 0 || behind_at_ != expected) behind_since_ns_ = now, behind_at_ = expected;
  return now - behind_since_ns_ > kOverdueNs;
}

bool ChannelEndpoint::closed() const noexcept {
  return mailbox().peer_closed() || mailbox().is_cut() || mailbox().lost() != Lost::kNo;
}

Status ChannelEndpoint::lost() const {
  const KeepAlive& keep_alive = segment_->served()->service.keep_alive();
  switch (mailbox().lost()) {
    case Lost::kNo: break;
    case Lost::kSilent:
      return {Code::kPeerLost, "channel: the other process has not been heard of for " +
                                   seconds(keep_alive.silence_ns) + "; look at its log and at the network"};
    case Lost::kNeverHeard:
      return {Code::kPeerLost, "channel: the other process did not open its end within " +
                                   seconds(keep_alive.start_ns) + "; look at its log"};
    case Lost::kWire:
      return {Code::kPeerLost, "channel: a write to the other process failed: " + fabric_error(mailbox().wire_error()) +
                                   "; look at its log and at the network"};
  }
  return {};
}

// A write that finds no room is left out: the next comes soon.
void ChannelEndpoint::beat(std::uint64_t now) noexcept {
  Mailbox& peer = mailbox();
  if (peer.peer_closed() || peer.is_cut() || peer.lost() != Lost::kNo) return;
  (void)post_state(Word::kBeat);
  const KeepAlive& keep_alive = segment_->served()->service.keep_alive();
  const bool beating = peer.beating();
  const std::uint64_t heard = std::max(peer.heard_ns(), opened_ns_);
  if (now <= heard || now - heard <= (beating ? keep_alive.silence_ns : keep_alive.start_ns)) return;
  fabric().locked([&] { peer.lose(beating ? Lost::kSilent : Lost::kNeverHeard, 0); });
}

bool ChannelEndpoint::retry() noexcept {
  const bool waits = waiting_.load(std::memory_order_relaxed) || untold_.load(std::memory_order_relaxed);
  if (!waits || closed()) return false;
  own_.ring();
  return true;
}

Post ChannelEndpoint::post_state(Word word) noexcept {
  const std::lock_guard lock(state_mutex_);
  StateLine line;
  line.wants_room = wants_room_.load(std::memory_order_relaxed) ? 1 : 0;
  line.next_sequence = announced_.load(std::memory_order_acquire);
  line.closed = word == Word::kLast ? 1 : 0;
  const Piece piece = segment_->piece(ChannelMap::kOwnState, sizeof line);
  std::memcpy(segment_->memory().data() + ChannelMap::kOwnState, &line, sizeof line);
  const Target there = target(ChannelMap::kPeerState, kStatePlace, line.next_sequence);
  Operation& operation = operations_[static_cast<std::size_t>(word)];
  return word == Word::kLast ? fabric().write_last(piece, there, operation)
                             : fabric().write_line(piece, there, operation);
}

}  // namespace woa::ofi
