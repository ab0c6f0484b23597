#include "bench/micro/transport_hop.h"

#include <algorithm>
#include <array>
#include <string>

#include "bench/micro/channel.h"
#include "runtime/base/clock.h"
#include "runtime/measure/pinned_group.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kMostInlineBytes = 192;
constexpr std::uint64_t kWarmUp = 64;  // round trips: until every slot was used and the child has started

// Keeps the packet that came last.
class Inbox final : public PacketSink {
 public:
  explicit Inbox(std::uint64_t bytes) {
    header_.kind = static_cast<std::uint8_t>(PacketKind::kPoison);  // the kind that carries inline payload
    header_.status = static_cast<std::uint8_t>(Code::kInternal);
    header_.flags = bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
    header_.payload_bytes = bytes;
  }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    header_ = packet;
    std::copy(inline_payload.begin(), inline_payload.end(), payload_.begin());
    return true;
  }
  [[nodiscard]] bool send(Sender& sender) const {
    if (!wait_for_place(sender)) return false;
    sender.commit(header_, std::span(payload_).first(header_.payload_bytes));
    return true;
  }
  [[nodiscard]] bool receive(Receiver& receiver) { return take_packets(receiver, *this, 1); }

 private:
  ActivationPacket header_;
  std::array<std::byte, kMostInlineBytes> payload_{};
};

}  // namespace

Result<double> transport_hop_ns(SharedMemory& transport, std::uint64_t bytes, bool header_crc,
                                std::uint64_t round_trips) {
  if (bytes > kMostInlineBytes)
    return {Code::kInvalid, "inline payload is at most " + std::to_string(kMostInlineBytes) + " bytes"};
  ChannelSpec spec;
  spec.header_crc = header_crc;
  spec.inline_bytes = kMostInlineBytes;
  WOA_ASSIGN_OR_RETURN(const auto there, open_channel(transport, spec));
  WOA_ASSIGN_OR_RETURN(const auto back, open_channel(transport, spec));
  Inbox inbox(bytes);
  const auto pong = [&] {
    for (std::uint64_t k = 0; k < kWarmUp + round_trips; ++k)
      if (!inbox.receive(*there.receiver) || !inbox.send(*back.sender)) return 1;
    return 0;
  };
  WOA_ASSIGN_OR_RETURN(auto pair, PinnedPair::start(pong));
  const auto ping = [&](std::uint64_t times) {
    bool ok = true;
    for (std::uint64_t k = 0; ok && k < times; ++k) ok = inbox.send(*there.sender) && inbox.receive(*back.receiver);
    return ok;
  };
  bool ok = ping(kWarmUp);
  const std::uint64_t start_ns = now_ns();
  ok = ok && ping(round_trips);
  const std::uint64_t end_ns = now_ns();
  if (Status status = back.receiver->status(); !status.ok()) return status;
  if (!ok || pair.wait() != 0) return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(end_ns - start_ns) / static_cast<double>(round_trips) / 2;
}

}  // namespace woa::bench
