#include "runtime/transport/ring_sender.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>

namespace woa {

RingSender::RingSender(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell consumer,
                       std::uint32_t first_sequence)
    : mapping_(std::move(mapping)),
      channel_(spec, mapping_->bytes()),
      consumer_(consumer),
      header_crc_(spec.header_crc),
      cursor_(spec.ring_slots, first_sequence),
      returns_(spec.return_slots, first_sequence) {}

RingSender::~RingSender() {
  channel_.words->producer_end.store(end_mark(next_sequence()), std::memory_order_release);
  consumer_.ring();
}

Push RingSender::reserve() noexcept {
  if (closed()) return Push::kClosed;
  if (full()) refresh_consumed();
  if (peer_broken_) return Push::kClosed;
  if (full()) return Push::kBackPressured;
  ++open_;
  return Push::kOk;
}

void RingSender::cancel() noexcept {
  assert(open_ > 0);
  --open_;
}

void RingSender::commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  ActivationPacket packet = header;
  packet.sequence = next_sequence();
  packet.flags =
      static_cast<std::uint8_t>(packet.flags & ~kHeaderCrc);  // one that came with the header is of another channel
  packet.crc32c = 0;
  if (header_crc_) seal(packet);
  publish(packet, inline_payload);
}

Status RingSender::commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  if (header.sequence != next_sequence())
    return {Code::kDataLoss, "channel: sealed header has sequence " + std::to_string(header.sequence) + ", expected " +
                                 std::to_string(next_sequence()) + "; the device lost or repeated a packet"};
  publish(header, inline_payload);
  return {};
}

void RingSender::publish(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  assert(open_ > 0);
  const std::span<std::byte> area = channel_.inline_area(cursor_.slot());
  std::copy_n(inline_payload.begin(), std::min(inline_payload.size(), area.size()), area.begin());
  HeaderSlot& slot = channel_.slots[cursor_.slot()];
  const auto words = std::bit_cast<std::array<std::uint64_t, 8>>(header);
  for (std::size_t k = 0; k < words.size(); ++k)
    if (k != kPublishWord) slot.words[k].store(words[k], std::memory_order_relaxed);
  slot.words[kPublishWord].store(words[kPublishWord], std::memory_order_release);
  cursor_.advance();
  --open_;
}

std::size_t RingSender::poll_returns(std::span<BlockReturn> out) noexcept {
  std::size_t count = 0;
  while (count < out.size() && !peer_broken_) {
    const ReturnSlot& slot = channel_.returns[returns_.slot()];
    const std::uint64_t mark = slot.mark.load(std::memory_order_acquire);
    const auto turn = static_cast<std::uint32_t>(mark);
    if (turn != returns_.expected()) {
      peer_broken_ = turn != returns_.stale();
      break;
    }
    const std::uint64_t block = slot.block.load(std::memory_order_relaxed);
    out[count++] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                    static_cast<std::uint16_t>(mark >> 32), static_cast<std::uint16_t>(mark >> 48)};
    returns_.advance();
  }
  return count;
}

std::uint32_t RingSender::consumed() const noexcept {
  const std::uint32_t found = channel_.words->consumed.load(std::memory_order_acquire);
  return plausible(found) ? found : consumed_;
}

bool RingSender::closed() const noexcept {
  return peer_broken_ || channel_.words->consumer_gone.load(std::memory_order_acquire) != 0 ||
         channel_.words->producer_cut.load(std::memory_order_acquire) != 0;
}

bool RingSender::full() const noexcept { return committed() - consumed_ + open_ >= channel_.slots.size(); }

// Counts only grow, and never beyond what was sent.
bool RingSender::plausible(std::uint32_t consumed) const noexcept {
  return committed() - consumed <= committed() - consumed_;
}

void RingSender::refresh_consumed() noexcept {
  const std::uint32_t found = channel_.words->consumed.load(std::memory_order_acquire);
  if (!plausible(found)) {
    peer_broken_ = true;
    return;
  }
  consumed_ = found;
}

}  // namespace woa
