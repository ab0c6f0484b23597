#include "controllers/fpga/verilator/wact_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "controllers/fpga/generated/wact_interface.h"

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
    if (beat_ + 1 == kHeaderBeats) begin_packet();
  } else if (!place_.empty()) {
    const std::size_t bytes = std::min(kBeatBytes, place_.size());
    std::memcpy(place_.data(), &output.m_tdata, bytes);
    place_ = place_.subspan(bytes);
    payload_bytes_ += bytes;
  } else {
    firing_.damage("a payload is larger than its place");
  }
  ++beat_;
  if (output.m_tlast) end_packet(output);
}

void BeatSink::begin_packet() noexcept {
  packet_ = std::bit_cast<ActivationPacket>(header_);
  const bool poison = packet_.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
  const std::span<std::byte> room = poison ? std::span(message_) : firing_.block();
  place_ = room.first(std::min<std::size_t>(packet_.payload_bytes, room.size()));
  payload_bytes_ = 0;
}

void BeatSink::end_packet(const WactOutput& output) noexcept {
  const bool further = (output.m_tuser & wact::kUserFurtherRoute) != 0;
  if (beat_ < kHeaderBeats || further != (firing_.packets() > 0)) {
    firing_.damage("a packet is shorter than a header, or the payload came twice or never");
  } else if ((output.m_tuser & wact::kUserVoid) == 0) {
    firing_.packet(packet_, payload_bytes_, std::span(message_).first(std::min(payload_bytes_, message_.size())));
  }
  beat_ = 0;
}

}  // namespace woa
