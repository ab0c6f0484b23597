#include "runtime/transport/ofi/sender.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/packet/payload_crc.h"
#include "runtime/transport/ofi/waits.h"

namespace woa::ofi {

OfiSender::OfiSender(const ChannelSpec& spec, const ChannelMap& map, RegionMap regions,
                     std::shared_ptr<OfiSegment> segment, Doorbell own)
    : map_(map),
      header_crc_(spec.header_crc),
      end_(std::move(segment), map.lines(), own, Doorbell::kWorkOrRoom),  // credits
      outgoing_(map.slots()),
      operations_(end_.fabric().make_operations(end_.segment().number(), map.slots())),
      lines_(map.lines(), 0),
      returned_(spec.return_slots) {
  for (const RegionPlaces& places : regions.all()) {
    ++places.segment->writers;
    regions_.push_back(
        {places, *places.segment->find(end_.remote().peer), std::vector<std::uint32_t>(places.blocks.blocks())});
  }
}

OfiSender::~OfiSender() {
  const std::uint64_t begin = now_ns();
  for (write_out(); next_out_ != next_ && !closed() && now_ns() - begin < kCloseNs; write_out()) {
    end_.look(true);
    nanosleep(&kNap, nullptr);
  }
  for (const Region& region : regions_) --region.places.segment->writers;
}

Push OfiSender::reserve() noexcept {
  if (closed()) return Push::kClosed;
  if (full()) {
    end_.look(true);
    write_out();
    absorb();
  }
  if (closed()) return Push::kClosed;
  if (full()) {
    if (map_.slots() > kTellsAtOnce) end_.want_room(true);
    return Push::kBackPressured;
  }
  ++open_;
  return Push::kOk;
}

void OfiSender::cancel() noexcept {
  assert(open_ > 0);
  --open_;
}

void OfiSender::commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  ActivationPacket packet = header;
  packet.sequence = next_;
  packet.flags = static_cast<std::uint8_t>(packet.flags & ~static_cast<unsigned>(kHeaderCrc));
  packet.crc32c = 0;  // one that came with the header is of another channel
  if (header_crc_) seal(packet);
  publish(packet, inline_payload);
}

Status OfiSender::commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  if (header.sequence != next_)
    return {Code::kDataLoss, "channel: sealed header has sequence " + std::to_string(header.sequence) + ", expected " +
                                 std::to_string(next_) + "; the device lost or repeated a packet"};
  publish(header, inline_payload);
  return {};
}

void OfiSender::publish(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  assert(open_ > 0);
  --open_;
  const std::size_t at = map_.slot_at(slot(next_)), room = map_.slot_bytes() - kPacketBytes;
  std::byte* const staged = end_.segment().memory().data() + at;
  std::memcpy(staged, &header, sizeof header);
  Outgoing& out = outgoing_[slot(next_)];
  out = {};
  if ((header.flags & kInline) != 0) {
    out.bytes = std::min(inline_payload.size(), room);
    std::copy_n(inline_payload.begin(), out.bytes, staged + kPacketBytes);
  } else if (Region* region = region_of(header, out.block); region != nullptr) {
    // What the consumer still holds need not cross again.
    const bool brings = region->held[out.block]++ == 0 && header.payload_bytes != 0;
    if (brings) out.region = region, out.bytes = static_cast<std::size_t>(carried_bytes(header));
  }
  ++next_;
  write_out();
}

// The region and block that a token names; null if it names none of this channel's.
OfiSender::Region* OfiSender::region_of(const ActivationPacket& header, std::uint32_t& block) noexcept {
  if (header.kind != static_cast<std::uint8_t>(PacketKind::kActivate) || (header.flags & kAbsent) != 0) return nullptr;
  for (Region& region : regions_) {
    if (region.places.number != header.region) continue;
    const bool fits =
        carried_bytes(header) <= region.places.blocks.block_bytes() && region.places.blocks.find(header.offset, block);
    return fits ? &region : nullptr;
  }
  return nullptr;
}

void OfiSender::write_out() noexcept {
  Post post = Post::kPosted;
  while (!closed() && next_out_ != next_ && (post = write(next_out_)) == Post::kPosted) end_.announce(++next_out_);
  if (post == Post::kFailed && broken_ == Broken::kNo) broken_ = Broken::kWrite;
  end_.wait_for_room(post == Post::kBusy);
}

Post OfiSender::write(std::uint32_t sequence) noexcept {
  const std::uint32_t at_slot = slot(sequence);
  const Outgoing& out = outgoing_[at_slot];
  const std::size_t at = map_.slot_at(at_slot);
  OfiSegment& ring = end_.segment();
  Operation& operation = operations_[at_slot];
  if (out.region == nullptr)
    return end_.fabric().write(ring.piece(at, kPacketBytes + out.bytes),
                               end_.target(at, kFirstLinePlace + at_slot, sequence), operation);
  const RegionPlaces& places = out.region->places;
  const std::uint64_t begin = places.header_at(out.block);
  const PeerReplica& remote = out.region->remote;
  const Target there{
      remote.peer, remote.base + begin, remote.key, {places.first_place + out.block, end_.remote().segment, sequence}};
  // The room in front of a block holds one header at a time: where several channels write the block out, the header
  // comes from the ring.
  if (places.segment->has_several_writers())
    return end_.fabric().write(ring.piece(at, kPacketBytes), places.segment->piece(begin + kHeaderRoom, out.bytes),
                               there, operation);
  std::memcpy(places.segment->memory().data() + begin, ring.memory().data() + at, kPacketBytes);
  return end_.fabric().write(places.segment->piece(begin, kHeaderRoom + out.bytes), there, operation);
}

std::size_t OfiSender::poll_returns(std::span<BlockReturn> out) noexcept {
  end_.look(false);
  write_out();
  absorb();
  std::size_t count = 0;
  while (count < out.size() && returns_out_ != returns_in_)
    out[count++] = returned_[returns_out_++ & (returned_.size() - 1)];
  return count;
}

void OfiSender::absorb() noexcept {
  Immediate immediate;
  while (broken_ == Broken::kNo && end_.mailbox().pop(immediate)) arrived(immediate);
  if (broken_ != Broken::kNo) return;
  read_lines();
  if (end_.mailbox().overflowed()) broken_ = Broken::kPlace;
  if (end_.mailbox().nonsense()) broken_ = Broken::kState;
  if (broken_ == Broken::kNo && end_.overdue(next_line_)) broken_ = Broken::kLost;
}

void OfiSender::arrived(const Immediate& immediate) noexcept {
  const std::uint32_t line = immediate.place - kFirstLinePlace;
  if (immediate.place < kFirstLinePlace || line >= map_.lines() || lines_[line] != 0)
    broken_ = Broken::kPlace;
  else
    lines_[line] = 1;
}

void OfiSender::read_lines() noexcept {
  for (std::uint32_t at = (next_line_ - 1) & (map_.lines() - 1); lines_[at] != 0 && broken_ == Broken::kNo;
       at = (next_line_ - 1) & (map_.lines() - 1)) {
    CreditLine line;  // a copy: the memory is the peer's to overwrite
    std::memcpy(&line, end_.segment().memory().data() + map_.line_at(at), sizeof line);
    lines_[at] = 0;
    broken_ = take(line);
    ++next_line_;
  }
}

OfiSender::Broken OfiSender::take(const CreditLine& line) noexcept {
  if (line.magic != CreditLine::kMagic || line.return_count > CreditLine::kMostReturns) return Broken::kLine;
  if (header_crc_ && line.crc32c != line.checksum()) return Broken::kLine;
  if (line.sequence != next_line_) return Broken::kSequence;
  // Counts only grow, and never beyond what was written.
  if (next_out_ - 1 - line.consumed > next_out_ - 1 - consumed_) return Broken::kCount;
  if (returns_in_ - returns_out_ + line.return_count > returned_.size()) return Broken::kReturns;
  consumed_ = line.consumed;
  for (std::uint32_t k = 0; k < line.return_count; ++k) given_back(line.returns[k]);
  return Broken::kNo;
}

void OfiSender::given_back(const BlockReturn& block) noexcept {
  returned_[returns_in_++ & (returned_.size() - 1)] = block;
  std::uint32_t number = 0;
  for (Region& region : regions_) {
    // One that is not held is the controller's to refuse: it has the books.
    if (region.places.number == block.region && region.places.blocks.find(block.offset, number) &&
        region.held[number] > 0)
      --region.held[number];
  }
}

Status OfiSender::status() const {
  const auto nonsense = [&](const std::string& what) {
    return Status(Code::kDataLoss,
                  "channel: credit line " + std::to_string(next_line_) + " from the consumer: " + what);
  };
  switch (broken_) {
    case Broken::kNo: return end_.lost();
    case Broken::kPlace: return nonsense("an immediate names no free place");
    case Broken::kSequence: return nonsense("another sequence was expected: one was lost or repeated");
    case Broken::kLine: return nonsense("it is none, or damaged");
    case Broken::kCount: return nonsense("it counts packets that were never sent, or fewer than before");
    case Broken::kReturns: return nonsense("it returns more blocks than the channel has");
    case Broken::kLost: return nonsense("it was lost");
    case Broken::kState: return nonsense("its keep-alive is none, or damaged");
    case Broken::kWrite: return {Code::kPeerLost, "channel: a write to the consumer was refused; look at its log"};
  }
  return {Code::kInternal, "channel: unknown state"};
}

}  // namespace woa::ofi
