// Common to all tests of transports. WOA_CTS_BACKEND in the environment names the back-end, WOA_CTS_SIZE its sizes.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/transport/doorbell.h"
#include "runtime/transport/transport.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"

namespace woa::cts {

using test::need;

// A segment as both sides see it: the same object if they share memory.
struct Replicas {
  std::shared_ptr<Segment> producer, consumer;
};

// The producer's and the consumer's transport, both in this process.
class Link {
 public:
  // Both sides share memory.
  explicit Link(std::unique_ptr<Transport> both) : producer(std::move(both)), consumer(producer) {}
  Link(std::unique_ptr<Transport> producers, std::unique_ptr<Transport> consumers)
      : producer(std::move(producers)), consumer(std::move(consumers)) {}
  virtual ~Link() = default;

  // Allocates on both sides and connects them.
  Replicas allocate(std::string_view label, std::size_t bytes) const {
    auto first = need(producer->allocate(label, bytes));
    if (first->description().empty()) return {first, first};
    auto second = need(consumer->allocate(label, bytes));
    REQUIRE(producer->connect(first, second->description()).ok());
    REQUIRE(consumer->connect(second, first->description()).ok());
    return {first, second};
  }
  virtual std::unique_ptr<Sender> open_sender(const ChannelSpec& spec, const Replicas& replicas,
                                              const ChannelEnd& end = {}) {
    return need(producer->open_sender(spec, replicas.producer, end));
  }
  virtual std::unique_ptr<Receiver> open_receiver(const ChannelSpec& spec, const Replicas& replicas,
                                                  const ChannelEnd& end = {}) {
    return need(consumer->open_receiver(spec, replicas.consumer, end));
  }
  // Waits until everything that both sides sent so far has arrived.
  virtual void settle() const {}
  // Closes the channel on every side, on behalf of a process that died.
  [[nodiscard]] bool close_channel(const ChannelSpec& spec, const Replicas& replicas) const {
    return producer->close_channel(spec, replicas.producer).ok() &&
           consumer->close_channel(spec, replicas.consumer).ok();
  }

  std::shared_ptr<Transport> producer, consumer;
};

// A library's link as both of its ends see it: one object if they share memory, otherwise one on each side, connected.
// `allocate` makes one over a given transport.
template <class Allocate>
auto connected_ends(const Link& sides, Allocate&& allocate) {
  auto producer = need(allocate(*sides.producer));
  if (producer.description().empty()) return std::pair(producer, producer);
  auto consumer = need(allocate(*sides.consumer));
  REQUIRE(producer.connect(*sides.producer, consumer.description()).ok());
  REQUIRE(consumer.connect(*sides.consumer, producer.description()).ok());
  return std::pair(std::move(producer), std::move(consumer));
}

// A transport under test joins by one file with an object of this type (loopback_backend.cc).
struct BackEnd {
  using MakeTransport = std::unique_ptr<Transport> (*)();
  using MakeLink = std::unique_ptr<Link> (*)();
  // Registers it. Without `make_link` both sides of a link share one transport.
  BackEnd(std::string_view name, MakeTransport make_transport, MakeLink make_link = nullptr);
};

// Makes a transport, or a link, of the chosen back-end.
std::unique_ptr<Transport> make_transport();
std::unique_ptr<Link> make_link();
ChannelSpec spec();  // sizes.cc

// A channel with both ends open, their doorbells, and the region of one output port, whose packets name it 0.
struct Channel {
  explicit Channel(const ChannelSpec& channel_spec = cts::spec(), std::uint32_t blocks = 0,
                   std::uint64_t block_bytes = 0)
      : spec(channel_spec) {
    ChannelEnd at_producer = Doorbell(&consumer_bell), at_consumer = Doorbell(&producer_bell);
    at_producer.own = Doorbell(&producer_bell), at_consumer.own = Doorbell(&consumer_bell);
    if (blocks != 0) {
      region = link->allocate("region", blocks * (block_bytes + link->producer->header_room()));
      at_producer.regions = {{0, blocks, block_bytes, region.producer}};
      at_consumer.regions = {{0, blocks, block_bytes, region.consumer}};
    }
    segment = link->allocate("channel", need(link->producer->channel_bytes(spec)));
    sender = link->open_sender(spec, segment, at_producer);
    receiver = link->open_receiver(spec, segment, at_consumer);
  }

  ChannelSpec spec;
  std::unique_ptr<Link> link = make_link();
  Replicas segment, region;
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

// A valid packet, told apart from others by `instance`.
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
