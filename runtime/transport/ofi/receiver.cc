#include "runtime/transport/ofi/receiver.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "runtime/packet/payload_crc.h"
#include "runtime/transport/ring_layout.h"

namespace woa::ofi {

OfiReceiver::OfiReceiver(const ChannelSpec& spec, const ChannelMap& map, RegionMap regions,
                         std::shared_ptr<OfiSegment> segment, Doorbell own)
    : map_(map),
      spec_(spec),
      regions_(std::move(regions)),
      end_(std::move(segment), map.slots(), own),
      landed_(map.slots()),
      operations_(end_.fabric().make_operations(end_.segment().number(), map.lines())),
      returns_(spec.return_slots) {}

OfiReceiver::~OfiReceiver() { write_credits(); }

std::size_t OfiReceiver::poll(PacketSink& sink, std::size_t max_packets) noexcept {
  end_.look(false);  // once for all channels of a controller
  Immediate immediate;
  while (loss_ == Loss::kNone && end_.mailbox().pop(immediate)) land(immediate);
  if (loss_ == Loss::kNone && end_.mailbox().overflowed()) lose(Loss::kOverflow, 0);
  std::size_t delivered = 0;
  for (; delivered < max_packets && loss_ == Loss::kNone; ++delivered) {
    Landed& landed = landed_[slot(next_)];
    if (!landed.there) break;
    if (!is_acceptable(landed.header, spec_)) {
      loss_ = Loss::kRejected;
      break;
    }
    if (!sink.on_packet(landed.header, inline_payload(landed.header))) break;
    landed.there = false;
    ++next_;
  }
  if (delivered == 0) found_nothing();
  if (delivered > 0) empty_polls_ = 0;
  // A credit line costs as much as a packet and would be in the way of an answer: it goes out when the producer waits
  // for room, with nothing else to do early, otherwise before the producer's ring is full.
  const std::uint32_t most = map_.slots() > kTellsAtOnce ? map_.slots() / (delivered == 0 ? 4 : 2) : 1;
  const bool due = next_ - 1 - told_ >= most;
  if (due || (delivered == 0 && room_wanted())) write_credits();
  return delivered;
}

void OfiReceiver::found_nothing() noexcept {
  if (++empty_polls_ % kPollsUntilLossShows != 0) return;
  write_credits();
  if (loss_ != Loss::kNone) return;
  const Mailbox& peer = end_.mailbox();
  // Closed before a packet that has come: it says what cannot be.
  const bool closed_early = peer.peer_closed() && static_cast<std::int32_t>(peer.peer_next() - next_) < 0;
  if (peer.nonsense() || closed_early) return lose(Loss::kState, 0);
  if (!landed_[slot(next_)].there && end_.overdue(next_)) lose(Loss::kOverdue, end_.mailbox().peer_next());
}

// Copies the header out of where the immediate says, then judges the copy: the place is the peer's to overwrite.
void OfiReceiver::land(const Immediate& immediate) noexcept {
  const RegionPlaces* region = nullptr;
  std::uint32_t block = 0;
  const std::byte* at = header_at(immediate, region, block);
  if (at == nullptr) return lose(Loss::kPlace, immediate.place);
  ActivationPacket header;
  std::memcpy(&header, at, sizeof header);
  const bool agrees = !end_.fabric().wide() || header.sequence == immediate.sequence;
  if (!agrees || header.sequence - next_ >= map_.slots() || landed_[slot(header.sequence)].there)
    return lose(Loss::kSequence, agrees ? header.sequence : immediate.sequence);
  const bool fits = region == nullptr
                        ? immediate.place == kFirstLinePlace + slot(header.sequence)
                        : header.region == region->number && header.offset == region->blocks.offset_of(block) &&
                              (header.flags & kInline) == 0 && carried_bytes(header) <= region->blocks.block_bytes();
  if (!fits) return lose(Loss::kMismatch, immediate.place);
  landed_[slot(header.sequence)] = {true, header};
}

// Where the packet of this immediate begins, null if there is no such place.
const std::byte* OfiReceiver::header_at(const Immediate& immediate, const RegionPlaces*& region,
                                        std::uint32_t& block) noexcept {
  if (immediate.place < kFirstLinePlace) return nullptr;
  if (const std::uint32_t at = immediate.place - kFirstLinePlace; at < map_.slots())
    return end_.segment().memory().data() + map_.slot_at(at);
  region = regions_.at(immediate.place, block);
  return region == nullptr ? nullptr : region->segment->memory().data() + region->header_at(block);
}

std::span<const std::byte> OfiReceiver::inline_payload(const ActivationPacket& packet) const noexcept {
  if ((packet.flags & kInline) == 0) return {};
  const std::byte* area = end_.segment().memory().data() + map_.slot_at(slot(packet.sequence)) + kPacketBytes;
  return {area, static_cast<std::size_t>(carried_bytes(packet))};
}

Status OfiReceiver::status() const {
  if (loss_ == Loss::kNone) return quiet() ? end_.lost() : Status();  // before any text is made: asked at every poll
  const std::string what = "channel: packet " + std::to_string(next_);
  const std::string found = std::to_string(found_);
  const auto rejected = [&](const std::string& why) { return Status(Code::kDataLoss, what + " rejected: " + why); };
  switch (loss_) {
    case Loss::kNone: break;
    case Loss::kSequence:
      return {Code::kDataLoss, "channel: a packet was lost or repeated: sequence " + std::to_string(next_) +
                                   " expected, " + found + " found"};
    case Loss::kOverdue:
      return {Code::kDataLoss, "channel: packets were lost: sequence " + std::to_string(next_) +
                                   " expected, but the producer is at " + found};
    case Loss::kRejected: return {Code::kDataLoss, why_rejected(landed_[slot(next_)].header, spec_)};
    case Loss::kPlace: return rejected("an immediate names place " + found + ", which this channel does not have");
    case Loss::kMismatch: return rejected("it lies at place " + found + ", where its header does not belong");
    case Loss::kOverflow: return rejected("the producer wrote more than the ring holds");
    case Loss::kState: return rejected("the producer's keep-alive is none, or damaged");
  }
  return {Code::kInternal, "channel: unknown loss"};
}

// Has everything that came been delivered?
bool OfiReceiver::quiet() const noexcept { return !landed_[slot(next_)].there && end_.mailbox().empty(); }

bool OfiReceiver::closed() const noexcept {
  if (loss_ != Loss::kNone) return false;
  const Mailbox& peer = end_.mailbox();
  if (peer.peer_closed()) return peer.peer_next() == next_;
  return peer.is_cut() && quiet();
}

void OfiReceiver::give_back(const BlockReturn& block) noexcept {
  returns_[returns_in_++ & (returns_.size() - 1)] = block;
  if (returns_in_ - returns_out_ >= CreditLine::kMostReturns) write_credits();
}

void OfiReceiver::write_credits() noexcept {
  Post post = Post::kPosted;
  // A producer that is gone needs no credit.
  while (!end_.closed() && post == Post::kPosted && (returns_out_ != returns_in_ || told_ != next_ - 1))
    post = write_line();
  end_.wait_for_room(post == Post::kBusy);
}

Post OfiReceiver::write_line() noexcept {
  CreditLine line;
  line.return_count = std::min<std::uint32_t>(returns_in_ - returns_out_, CreditLine::kMostReturns);
  for (std::uint32_t k = 0; k < line.return_count; ++k)
    line.returns[k] = returns_[(returns_out_ + k) & (returns_.size() - 1)];
  line.sequence = next_line_;
  line.consumed = next_ - 1;
  if (spec_.header_crc) line.crc32c = line.checksum();
  const std::uint32_t at_line = (next_line_ - 1) & (map_.lines() - 1);
  const std::size_t at = map_.line_at(at_line);
  std::memcpy(end_.segment().memory().data() + at, &line, sizeof line);
  const Post post =
      end_.fabric().write_line(end_.segment().piece(at, sizeof line),
                               end_.target(at, kFirstLinePlace + at_line, next_line_), operations_[at_line]);
  if (post != Post::kPosted) return post;
  returns_out_ += line.return_count;
  told_ = line.consumed;
  end_.announce(++next_line_);
  return post;
}

}  // namespace woa::ofi
