#include "runtime/transport/ring_receiver.h"

#include <string>

#include "runtime/packet/payload_crc.h"

namespace woa {

RingReceiver::RingReceiver(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell producer,
                           std::uint32_t first_sequence)
    : mapping_(std::move(mapping)),
      channel_(spec, mapping_->bytes()),
      producer_(producer),
      spec_(spec),
      cursor_(spec.ring_slots, first_sequence),
      returns_(spec.return_slots, first_sequence) {}

RingReceiver::~RingReceiver() {
  channel_.words->consumer_gone.store(1, std::memory_order_release);
  producer_.ring();
}

std::size_t RingReceiver::poll(PacketSink& sink, std::size_t max_packets) noexcept {
  if (loss_ != Loss::kNone) return 0;
  const std::uint32_t sequence = sequence_in(cursor_.slot());
  if (sequence != cursor_.expected()) {
    // A reader that waits fetches the line of the inline payload along with the header's.
    if (spec_.inline_bytes != 0) __builtin_prefetch(channel_.slots.inline_area(cursor_.slot()).data());
    nothing_new(sequence);
    return 0;
  }
  return deliver(sink, max_packets);
}

std::size_t RingReceiver::deliver(PacketSink& sink, std::size_t max_packets) noexcept {
  std::size_t delivered = 0;
  ActivationPacket packet;
  while (delivered < max_packets) {
    const HeaderSlot& slot = channel_.slots[cursor_.slot()];
    std::uint32_t sequence = slot.sequence();
    if (sequence == cursor_.expected()) {
      slot.read(packet);
      sequence = packet.sequence;
    }
    if (sequence != cursor_.expected()) {
      nothing_new(sequence);
      break;
    }
    empty_polls_ = 0;
    if (!is_acceptable(packet, spec_)) {
      loss_ = Loss::kRejected;
      rejected_ = packet;
      break;
    }
    if (!sink.on_packet(packet, inline_payload(packet))) break;
    cursor_.advance();
    if (++delivered % kTellConsumedEvery == 0) tell_consumed();
  }
  if (delivered % kTellConsumedEvery != 0) tell_consumed();
  return delivered;
}

void RingReceiver::tell_consumed() noexcept {
  channel_.words->consumed.store(static_cast<std::uint32_t>(cursor_.position()), std::memory_order_release);
}

std::uint32_t RingReceiver::sequence_in(std::uint32_t slot) const noexcept {
  return channel_.slots[slot & (channel_.slots.size() - 1)].sequence();
}

// The next slot holds `sequence`, which is not the one expected: that of the lap before, or a loss.
void RingReceiver::nothing_new(std::uint32_t sequence) noexcept {
  if (sequence == cursor_.stale()) {
    if (++empty_polls_ % kLookAheadEvery == 0) look_ahead();
    return;
  }
  loss_ = Loss::kSequence;
  found_ = sequence;
}

// Nothing here yet. A loss if the packet behind it is there, or if the producer closed after more than we have read.
void RingReceiver::look_ahead() noexcept {
  const std::uint32_t next = cursor_.expected() + 1;
  const bool skipped = channel_.slots.size() > 1 && sequence_in(cursor_.slot() + 1) == next;
  const std::uint64_t end = channel_.words->producer_end.load(std::memory_order_acquire);
  if (!skipped && (end == 0 || end == end_mark(cursor_.expected()))) return;
  if (sequence_in(cursor_.slot()) == cursor_.expected()) return;  // published since we looked, before the other
  loss_ = skipped ? Loss::kSequence : Loss::kEnd;
  found_ = skipped ? next : static_cast<std::uint32_t>(end);
}

std::span<const std::byte> RingReceiver::inline_payload(const ActivationPacket& packet) const noexcept {
  if ((packet.flags & kInline) == 0) return {};
  return channel_.slots.inline_area(cursor_.slot()).first(static_cast<std::size_t>(carried_bytes(packet)));
}

Status RingReceiver::status() const {
  if (loss_ == Loss::kNone) return {};
  const std::string expected = std::to_string(cursor_.expected());
  const std::string found = std::to_string(found_);
  switch (loss_) {
    case Loss::kNone: break;
    case Loss::kSequence:
      return {Code::kDataLoss,
              "channel: a packet was lost or repeated: sequence " + expected + " expected, " + found + " found"};
    case Loss::kEnd:
      return {Code::kDataLoss,
              "channel: the last packets were lost: sequence " + expected + " expected, but closed before " + found};
    case Loss::kRejected: return {Code::kDataLoss, why_rejected(rejected_, spec_)};
  }
  return {Code::kInternal, "channel: unknown loss"};
}

bool RingReceiver::closed() const noexcept {
  if (loss_ != Loss::kNone) return false;
  if (channel_.words->producer_end.load(std::memory_order_acquire) == end_mark(cursor_.expected())) return true;
  return channel_.words->producer_gone.load(std::memory_order_acquire) != 0 &&
         sequence_in(cursor_.slot()) == cursor_.stale();
}

void RingReceiver::give_back(const BlockReturn& block) noexcept {
  channel_.returns[returns_.slot()].publish({block, returns_.expected()});
  returns_.advance();
}

}  // namespace woa
