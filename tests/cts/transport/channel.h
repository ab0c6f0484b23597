// What every transport test needs. The program's back-end and sizes come from the two functions that it is linked with.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/transport/doorbell.h"
#include "runtime/transport/transport.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"

namespace woa::cts {

std::unique_ptr<Transport> make_transport();  // loopback_backend.cc, shm_backend.cc
ChannelSpec spec();                           // default_sizes.cc, min_sizes.cc

using test::need;

// A channel with both ends open, and their doorbells.
struct Channel {
  explicit Channel(const ChannelSpec& channel_spec = cts::spec()) : spec(channel_spec) {
    segment = need(transport->allocate("channel", need(transport->channel_bytes(spec))));
    sender = need(transport->open_sender(spec, segment, Doorbell(&consumer_bell)));
    receiver = need(transport->open_receiver(spec, segment, Doorbell(&producer_bell)));
  }

  ChannelSpec spec;
  std::unique_ptr<Transport> transport = make_transport();
  std::shared_ptr<Segment> segment;
  DoorbellLine consumer_bell, producer_bell;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
};

// Keeps what a receiver delivers; refuses packets while it holds `capacity`.
class Inbox final : public PacketSink {
 public:
  Inbox() { packets.reserve(4096); }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    if (packets.size() >= capacity) return false;
    packets.push_back(packet);
    last_inline.assign(inline_payload.begin(), inline_payload.end());
    return true;
  }

  std::vector<ActivationPacket> packets;
  std::vector<std::byte> last_inline;
  std::size_t capacity = static_cast<std::size_t>(-1);
};

inline constexpr std::size_t kAll = 1U << 20;

// A valid packet that is told apart by `instance`.
inline ActivationPacket token(std::uint64_t instance) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.instance = instance;
  packet.stage = 3;
  packet.origin = 2;
  return packet;
}

// Reserves and commits; false if there is no place.
inline bool send(Sender& sender, const ActivationPacket& packet, std::span<const std::byte> inline_payload = {}) {
  if (sender.reserve() != Push::kOk) return false;
  sender.commit(packet, inline_payload);
  return true;
}

// Polls until a loss must have shown; returns how many packets came.
inline std::size_t poll_for_long(Receiver& receiver, PacketSink& sink) {
  std::size_t packets = 0;
  for (int k = 0; k < kPollsUntilLossShows; ++k) packets += receiver.poll(sink, kAll);
  return packets;
}

// `count` bytes that depend on `seed`.
inline std::vector<std::byte> pattern(std::size_t count, std::uint64_t seed) {
  std::vector<std::byte> bytes(count);
  for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<std::byte>((k * 131 + seed * 7919 + (k >> 8)) & 0xff);
  return bytes;
}

}  // namespace woa::cts
