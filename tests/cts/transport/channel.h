// Common to all tests of transports. WOA_CTS_BACKEND in the environment names the back-end, WOA_CTS_SIZE its sizes.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/transport/any_transport.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"

namespace woa::cts {

using test::need;

// A segment as both sides see it: the same object if they share memory.
struct Replicas {
  std::shared_ptr<Segment> producer, consumer;
};

inline Status close_channel(AnyTransport transport, const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) {
  if (transport.wire() != nullptr)
    return transport.wire()->close_channel(spec, std::dynamic_pointer_cast<Replica>(segment));
  return woa::close_channel(spec, dynamic_cast<SharedSegment&>(*segment));
}

// The producer's and the consumer's transport, both in this process.
class Link {
 public:
  explicit Link(std::unique_ptr<SharedMemory> both) : producer(*both), consumer(*both), shared_(std::move(both)) {}
  Link(std::unique_ptr<Wire> producers, std::unique_ptr<Wire> consumers)
      : producer(*producers), consumer(*consumers), wires_{std::move(producers), std::move(consumers)} {}
  virtual ~Link() = default;

  // Allocates on both sides and connects them.
  Replicas allocate(std::string_view label, std::size_t bytes) const {
    if (producer.wire() == nullptr) {
      const auto both = need(producer.allocate(label, bytes));
      return {both, both};
    }
    auto first = need(producer.wire()->allocate(label, bytes)), second = need(consumer.wire()->allocate(label, bytes));
    REQUIRE(producer.wire()->connect(first, second->description(), {}).ok());
    REQUIRE(consumer.wire()->connect(second, first->description(), {}).ok());
    return {first, second};
  }
  virtual std::unique_ptr<Sender> open_sender(const ChannelSpec& spec, const Replicas& replicas,
                                              const ChannelEnd& end = {}, std::span<const ChannelRegion> regions = {}) {
    return need(producer.open_sender(spec, replicas.producer, end, regions));
  }
  virtual std::unique_ptr<Receiver> open_receiver(const ChannelSpec& spec, const Replicas& replicas,
                                                  const ChannelEnd& end = {},
                                                  std::span<const ChannelRegion> regions = {}) {
    return need(consumer.open_receiver(spec, replicas.consumer, end, regions));
  }
  // Waits until everything that both sides sent so far has arrived.
  virtual void settle() const {}
  // Closes the channel on every side, on behalf of a process that died.
  [[nodiscard]] bool close_channel(const ChannelSpec& spec, const Replicas& replicas) const {
    return cts::close_channel(producer, spec, replicas.producer).ok() &&
           cts::close_channel(consumer, spec, replicas.consumer).ok();
  }
  // Memory for what the consumer owns and, where memory is shared, the producer maps.
  SharedMemory& memory() { return shared_ ? *shared_ : own_memory_; }

  AnyTransport producer, consumer;

 private:
  std::unique_ptr<SharedMemory> shared_;
  std::array<std::unique_ptr<Wire>, 2> wires_;
  LoopbackTransport own_memory_;
};

// A library's link as both of its ends see it: one object if they share memory, otherwise one on each side, connected.
// `allocate` makes one over a given transport.
template <class Allocate>
auto connected_ends(const Link& sides, Allocate&& allocate) {
  auto producer = need(allocate(sides.producer));
  if (sides.producer.wire() == nullptr) return std::pair(producer, producer);
  auto consumer = need(allocate(sides.consumer));
  REQUIRE(producer.connect(*sides.producer.wire(), consumer.description()).ok());
  REQUIRE(consumer.connect(*sides.consumer.wire(), producer.description()).ok());
  return std::pair(std::move(producer), std::move(consumer));
}

// A transport under test joins by one file with an object of this type (loopback_backend.cc).
struct BackEnd {
  using MakeMemory = std::unique_ptr<SharedMemory> (*)();
  using MakeLink = std::unique_ptr<Link> (*)();
  // Registers it: shared memory, or the two sides of a wire.
  BackEnd(std::string_view name, MakeMemory make_memory);
  BackEnd(std::string_view name, MakeLink make_link);
};

// Makes a transport that shares memory, or a link, of the chosen back-end.
std::unique_ptr<SharedMemory> make_memory();
std::unique_ptr<Link> make_link();
ChannelSpec spec();  // sizes.cc

// A channel with both ends open, their doorbells, and the region of one output port, whose packets name it 0.
struct Channel {
  explicit Channel(const ChannelSpec& channel_spec = cts::spec(), std::uint32_t blocks = 0,
                   std::uint64_t block_bytes = 0)
      : spec(channel_spec) {
    ChannelEnd at_producer = Doorbell(&consumer_bell), at_consumer = Doorbell(&producer_bell);
    at_producer.own = Doorbell(&producer_bell), at_consumer.own = Doorbell(&consumer_bell);
    if (blocks != 0) region = link->allocate("region", blocks * (block_bytes + link->producer.header_room()));
    const auto named = [&](const std::shared_ptr<Segment>& memory) {
      auto replica = std::dynamic_pointer_cast<Replica>(memory);
      return std::vector<ChannelRegion>(replica == nullptr ? 0 : 1, {0, blocks, block_bytes, replica});
    };
    segment = link->allocate("channel", need(link->producer.channel_bytes(spec)));
    sender = link->open_sender(spec, segment, at_producer, named(region.producer));
    receiver = link->open_receiver(spec, segment, at_consumer, named(region.consumer));
    sender->want_room(true);  // or a consumer by wire would keep what it could give back
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
