#include "runtime/transport/ring_sender.h"

#include <cassert>
#include <string>

namespace woa {

RingSender::RingSender(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell consumer,
                       std::uint32_t first_sequence)
    : mapping_(std::move(mapping)),
      channel_(spec, mapping_->bytes()),
      consumer_(consumer),
      places_(spec.ring_slots),
      slots_(channel_.slots, spec.header_crc, first_sequence),
      returns_(spec.return_slots, first_sequence) {}

RingSender::~RingSender() {
  channel_.words->producer_end.store(end_mark(slots_.next_sequence()), std::memory_order_release);
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
  assert(open() > 0);
  slots_.place(header, inline_payload).store();
}

Status RingSender::commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  WOA_RETURN_IF_ERROR(slots_.check_next(header));
  assert(open() > 0);
  slots_.place_sealed(header, inline_payload).store();
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
