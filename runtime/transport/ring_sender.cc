#include "runtime/transport/ring_sender.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace woa {

RingSender::RingSender(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell consumer,
                       std::uint32_t first_sequence)
    : mapping_(std::move(mapping)),
      channel_(spec, mapping_->bytes()),
      consumer_(consumer),
      header_crc_(spec.header_crc),
      places_(spec.ring_slots),
      cursor_(spec.ring_slots, first_sequence),
      returns_(spec.return_slots, first_sequence) {}

RingSender::~RingSender() {
  channel_.words->producer_end.store(end_mark(cursor_.expected()), std::memory_order_release);
  consumer_.ring();
}

Push RingSender::reserve() noexcept {
  if (closed()) return Push::kClosed;
  if (places_ == 0) refresh_consumed();
  if (places_ == 0) return closed() ? Push::kClosed : Push::kBackPressured;
  --places_;
  return Push::kOk;
}

void RingSender::cancel() noexcept {
  assert(open() > 0);
  ++places_;
}

void RingSender::commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  carry(cursor_.slot(), inline_payload);
  place(number(header, cursor_.expected())).store();
}

Status RingSender::commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  WOA_RETURN_IF_ERROR(check_next(header));
  carry(cursor_.slot(), inline_payload);
  place(words_of(header)).store();
  return {};
}

Status RingSender::check_next(const ActivationPacket& sealed) const {
  if (sealed.sequence != cursor_.expected())
    return {Code::kDataLoss, "channel: sealed header has sequence " + std::to_string(sealed.sequence) + ", expected " +
                                 std::to_string(cursor_.expected()) + "; the device lost or repeated a packet"};
  return {};
}

std::size_t RingSender::poll_returns(std::span<BlockReturn> out) noexcept {
  std::size_t count = 0;
  while (count < out.size() && broken_ == Broken::kNot) {
    const ReturnSlot& slot = channel_.returns[returns_.slot()];
    const std::uint64_t mark = slot.mark.load(std::memory_order_acquire);
    const auto turn = static_cast<std::uint32_t>(mark);
    if (turn != returns_.expected()) {
      if (turn != returns_.stale()) broken_ = Broken::kReturn, found_ = turn;
      break;
    }
    const std::uint64_t block = slot.block.load(std::memory_order_relaxed);
    out[count++] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                    static_cast<std::uint16_t>(mark >> 32), static_cast<std::uint16_t>(mark >> 48)};
    returns_.advance();
  }
  return count;
}

bool RingSender::closed() const noexcept {
  return broken_ != Broken::kNot || channel_.words->consumer_gone.load(std::memory_order_acquire) != 0;
}

Status RingSender::status() const {
  if (broken_ == Broken::kNot) return {};  // asked again and again
  const std::string found = std::to_string(found_);
  switch (broken_) {
    case Broken::kNot: break;
    case Broken::kReturn:
      return {Code::kDataLoss, "channel: a returned block was lost or repeated: turn " +
                                   std::to_string(returns_.expected()) + " expected, " + found + " found"};
    case Broken::kConsumed:
      return {Code::kDataLoss, "channel: the reader says that it has read " + found + " packets; " +
                                   std::to_string(consumed_) + " to " + std::to_string(committed()) + " expected"};
  }
  return {Code::kInternal, "channel: unknown damage"};
}

HeaderWords RingSender::sealed(const ActivationPacket& header, std::uint32_t sequence) noexcept {
  ActivationPacket numbered = header;
  numbered.sequence = sequence;
  seal(numbered);
  return words_of(numbered);
}

// Counts only grow, and never beyond what was sent.
bool RingSender::plausible(std::uint32_t consumed) const noexcept {
  return committed() - consumed <= committed() - consumed_;
}

void RingSender::refresh_consumed() noexcept {
  const std::uint32_t found = channel_.words->consumed.load(std::memory_order_acquire);
  if (!plausible(found)) {
    broken_ = Broken::kConsumed;
    found_ = found;
    return;
  }
  places_ += found - consumed_;
  consumed_ = found;
}

}  // namespace woa
