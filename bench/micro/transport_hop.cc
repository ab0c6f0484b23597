#include "bench/micro/transport_hop.h"

#include <array>

#include "bench/micro/pinned_pair.h"
#include "runtime/base/clock.h"
#include "runtime/base/pause.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/shm/shm_transport.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kMostBytes = 192;

// Keeps the payload of the packet that came last.
class Inbox final : public PacketSink {
 public:
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    header = packet;
    std::copy(inline_payload.begin(), inline_payload.end(), payload.begin());
    return true;
  }
  ActivationPacket header;
  std::array<std::byte, kMostBytes> payload{};
};

// The two lanes of one side.
struct End {
  std::unique_ptr<Sender> out;
  std::unique_ptr<Receiver> in;
  Inbox inbox;

  [[nodiscard]] bool send() noexcept {
    if (out->reserve() != Push::kOk) return false;
    const std::span<const std::byte> bytes(inbox.payload.data(), inbox.header.payload_bytes);
    out->commit(inbox.header, bytes);
    return true;
  }
  [[nodiscard]] bool receive() noexcept {
    while (in->poll(inbox, 1) == 0) {
      if (in->closed() || !in->status().ok()) return false;
      pause_core();
    }
    return true;
  }
};

struct Lane {
  ChannelSpec spec;
  std::shared_ptr<Segment> segment;
};

Result<End> open(ShmTransport& transport, const Lane& from, const Lane& to) {
  End end;
  auto out = transport.open_sender(to.spec, to.segment, Doorbell());
  if (!out.ok()) return out.status();
  auto in = transport.open_receiver(from.spec, from.segment, Doorbell());
  if (!in.ok()) return in.status();
  end.out = std::move(*out);
  end.in = std::move(*in);
  return end;
}

Result<Lane> make_lane(ShmTransport& transport, bool header_crc) {
  Lane lane;
  lane.spec.header_crc = header_crc;
  lane.spec.inline_bytes = kMostBytes;
  auto bytes = transport.channel_bytes(lane.spec);
  if (!bytes.ok()) return bytes.status();
  auto segment = transport.allocate("bench", *bytes);
  if (!segment.ok()) return segment.status();
  lane.segment = *segment;
  return lane;
}

}  // namespace

Result<double> transport_hop_ns(std::uint64_t bytes, bool header_crc, std::uint64_t round_trips) {
  if (bytes > kMostBytes) return {Code::kInvalid, "inline payload is at most " + std::to_string(kMostBytes) + " bytes"};
  ShmTransport transport;
  auto there = make_lane(transport, header_crc), back = make_lane(transport, header_crc);
  if (!there.ok()) return there.status();
  if (!back.ok()) return back.status();
  auto pair = PinnedPair::start([&] {
    auto echo = open(transport, *there, *back);
    for (std::uint64_t k = 0; echo.ok() && k < round_trips; ++k) {
      if (!echo->receive() || !echo->send()) return 1;
    }
    return echo.ok() ? 0 : 1;
  });
  if (!pair.ok()) return pair.status();
  auto here = open(transport, *back, *there);
  if (!here.ok()) return here.status();
  here->inbox.header.kind = static_cast<std::uint8_t>(PacketKind::kPoison);  // the kind that carries inline payload
  here->inbox.header.status = static_cast<std::uint8_t>(Code::kInternal);
  here->inbox.header.flags = bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
  here->inbox.header.payload_bytes = bytes;
  const std::uint64_t start = now_ns();
  bool ok = true;
  for (std::uint64_t k = 0; ok && k < round_trips; ++k) ok = here->send() && here->receive();
  const std::uint64_t end = now_ns();
  if (Status status = here->in->status(); !status.ok()) return status;
  if (!ok || pair->wait() != 0) return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(end - start) / static_cast<double>(round_trips) / 2;
}

}  // namespace woa::bench
