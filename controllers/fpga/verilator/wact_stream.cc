#include "controllers/fpga/verilator/wact_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "controllers/fpga/wact_registers.h"

namespace woa {

static_assert(std::endian::native == std::endian::little, "byte n of a packet is byte lane n mod 8 of its beat");

BeatSource::BeatSource(const ActivationPacket& header, std::span<const std::byte> payload) noexcept
    : header_(std::bit_cast<HeaderBeats>(header)),
      payload_(payload),
      beats_(kHeaderBeats + (payload.size() + kBeatBytes - 1) / kBeatBytes) {}

std::uint64_t BeatSource::beat() const noexcept {
  if (next_ < kHeaderBeats) return header_[next_];
  const std::size_t at = (next_ - kHeaderBeats) * kBeatBytes;
  std::uint64_t data = 0;
  if (at + kBeatBytes <= payload_.size()) {
    std::memcpy(&data, payload_.data() + at, kBeatBytes);
  } else {
    std::memcpy(&data, payload_.data() + at, payload_.size() - at);
  }
  return data;
}

void BeatSink::take(const WactOutput& output) noexcept {
  if (beat_ < kHeaderBeats) {
    header_[beat_] = output.m_tdata;
    if (beat_ + 1 == kHeaderBeats) {
      packet_ = std::bit_cast<ActivationPacket>(header_);
      const bool poison = packet_.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
      const std::span<std::byte> room = poison ? std::as_writable_bytes(std::span(message_)) : block_;
      broken_ = broken_ || packet_.payload_bytes > room.size();
      place_ = room.first(std::min<std::size_t>(packet_.payload_bytes, room.size()));
    }
  } else if (!place_.empty()) {
    const std::size_t bytes = std::min(kBeatBytes, place_.size());
    std::memcpy(place_.data(), &output.m_tdata, bytes);
    place_ = place_.subspan(bytes);
  } else {
    broken_ = true;
  }
  ++beat_;
  if (output.m_tlast) end_packet(output);
}

void BeatSink::end_packet(const WactOutput& output) noexcept {
  const bool header_only = (output.m_tuser & wact::kUserFurtherRoute) != 0;
  const bool whole = beat_ >= kHeaderBeats && (header_only ? beat_ == kHeaderBeats : place_.empty());
  if (!whole || (output.m_tuser & wact::kUserVoid) != 0 || packets_ == routes_.size() ||
      header_only != (packets_ > 0)) {
    broken_ = true;
  } else {
    routes_[packets_++]->header = packet_;
  }
  beat_ = 0;
}

}  // namespace woa
