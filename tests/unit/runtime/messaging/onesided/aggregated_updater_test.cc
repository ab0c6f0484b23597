// When a bucket goes out, and an owner that breaks the rules.
#include "runtime/messaging/onesided/aggregated_updater.h"

#include "runtime/messaging/onesided/link.h"
#include "runtime/messaging/onesided/update_receiver.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/support/says.h"

namespace woa::onesided {
namespace {

constexpr LinkSpec kSpec{.ring_slots = 8, .buckets = 3, .bucket_units = 6, .result_slots = 4};
constexpr std::size_t kBytes = 1024;

Update increment(std::uint64_t k = 0) { return accumulate<std::uint64_t>(Operation::kSum, k % (kBytes / 8) * 8, 1); }

// An origin, and the owner's bare receiver, which sees the packets.
struct Bare final : PacketSink {
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    packets.push_back(packet);
    return true;
  }
  std::size_t poll() { return receiver->poll(*this, 100); }

  LoopbackTransport transport;
  Link link = test::need(allocate_link(transport, kSpec, "link"));
  std::unique_ptr<Receiver> receiver =
      test::need(AnyTransport(transport).open_receiver(channel_of(transport, kSpec), link.channel, {}));
  std::unique_ptr<AggregatedUpdater> updater =
      test::need(AggregatedUpdater::open(transport, kSpec, link, {kBytes, {}}, 1000));
  std::vector<ActivationPacket> packets;
};

}  // namespace

TEST_CASE("a bucket goes out with its last place, as one packet") {
  Bare bare;
  for (std::uint32_t k = 0; k + 1 < kSpec.bucket_units; ++k) {
    REQUIRE(bare.updater->update(increment()) == Outcome::kOk);
    REQUIRE(bare.poll() == 0);
  }
  REQUIRE(bare.updater->update(increment()) == Outcome::kOk);
  REQUIRE(bare.poll() == 1);
  REQUIRE(bare.packets[0].payload_bytes == kSpec.bucket_units * sizeof(Unit));
  REQUIRE(bare.updater->issued() == kSpec.bucket_units);
}

TEST_CASE("a compare_swap takes two places, and is never split") {
  Bare bare;
  for (std::uint32_t k = 0; k + 1 < kSpec.bucket_units; ++k) REQUIRE(bare.updater->update(increment()) == Outcome::kOk);
  REQUIRE(bare.updater->update(compare_swap<std::uint64_t>(0, 5, 6)) == Outcome::kOk);
  REQUIRE(bare.poll() == 1);  // the bucket before, with one place left
  REQUIRE(bare.packets[0].payload_bytes == (kSpec.bucket_units - 1) * sizeof(Unit));
  REQUIRE(bare.updater->issued() == kSpec.bucket_units);
  REQUIRE(bare.updater->flush() == Outcome::kOk);
  REQUIRE(bare.poll() == 1);
  REQUIRE(bare.packets[1].payload_bytes == 2 * sizeof(Unit));
  REQUIRE(bare.updater->issued() == kSpec.bucket_units);
}

TEST_CASE("a flush of nothing sends nothing") {
  Bare bare;
  REQUIRE(bare.updater->flush() == Outcome::kOk);
  bare.updater->poll(1);
  bare.updater->poll(1'000'000);
  REQUIRE(bare.poll() == 0);
}

TEST_CASE("an updater that ends sends what it holds") {
  Bare bare;
  REQUIRE(bare.updater->update(increment()) == Outcome::kOk);
  bare.updater.reset();
  REQUIRE(bare.poll() == 1);
  REQUIRE(bare.receiver->closed());
}

TEST_CASE("a flush wakes an owner that sleeps") {
  LoopbackTransport transport;
  DoorbellLine line;
  const Link link = test::need(allocate_link(transport, kSpec, "link"));
  const auto updater = test::need(AggregatedUpdater::open(transport, kSpec, link, {kBytes, Doorbell(&line)}));
  Doorbell(&line).prepare();
  REQUIRE(updater->update(increment()) == Outcome::kOk);
  REQUIRE(line.rings == 0);
  REQUIRE(updater->flush() == Outcome::kOk);
  REQUIRE(line.rings == 1);
}

TEST_CASE("an owner that gives back what it does not have ends the link") {
  for (const std::uint32_t offset : {0U, 1U, 7U, 0xffffffffU}) {
    Bare bare;
    bare.receiver->give_back({0, offset, 0, 0});
    REQUIRE(bare.updater->update(increment()) == Outcome::kClosed);
    REQUIRE(bare.updater->flush() == Outcome::kClosed);
    REQUIRE(bare.updater->status().code() == Code::kDataLoss);
    REQUIRE(bare.updater->issued() == 0);
  }
}

TEST_CASE("an owner that claims more than was issued is not believed") {
  Bare bare;
  Returns returns = test::need(Returns::open(bare.transport, kSpec.result_slots, bare.link.returns, {}));
  REQUIRE(bare.updater->update(increment()) == Outcome::kOk);
  returns.add(1);
  returns.publish(7);
  REQUIRE(bare.updater->completed() == 1);
  REQUIRE(bare.updater->status().code() == Code::kDataLoss);
  std::uint64_t out = 0;
  REQUIRE(bare.updater->take_results(std::span(&out, 1)) == 0);
}

TEST_CASE("an owner that sends something that is no result ends the link") {
  const auto with = [](auto change) {
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
    packet.port = kReturnPort;
    change(packet);
    return packet;
  };
  const auto has_part = [](ActivationPacket& packet) { packet.payload_bytes = 7, packet.flags = kInline; };
  const auto names_memory = [](ActivationPacket& packet) {
    packet.payload_bytes = 8, packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  };
  const auto is_absent = [](ActivationPacket& packet) { packet.flags = kAbsent; };
  for (const ActivationPacket& packet :
       {with([](ActivationPacket& p) { p.port = kBucketPort; }), with(has_part), with(names_memory), with(is_absent)}) {
    Bare bare;
    const auto wild =
        test::need(AnyTransport(bare.transport)
                       .open_sender(returns_channel_of(bare.transport, kSpec.result_slots), bare.link.returns, {}));
    REQUIRE(wild->reserve() == Push::kOk);
    wild->commit(packet, std::as_bytes(std::span("1234567")));
    REQUIRE(bare.updater->update(fetch_add<std::uint64_t>(0, 1)) == Outcome::kOk);
    REQUIRE(bare.updater->completed() == 0);
    REQUIRE(bare.updater->flush() == Outcome::kClosed);
    REQUIRE(test::says(bare.updater->status(), Code::kDataLoss, "no result"));
  }
}

TEST_CASE("more results than were asked for are not taken") {
  Bare bare;
  Returns returns = test::need(Returns::open(bare.transport, kSpec.result_slots, bare.link.returns, {}));
  REQUIRE(bare.updater->update(fetch_add<std::uint64_t>(0, 1)) == Outcome::kOk);
  for (std::uint64_t value = 40; value < 45; ++value) returns.add(value);
  returns.publish(1);
  std::array<std::uint64_t, 8> out{};
  REQUIRE(bare.updater->take_results(out) == 1);
  REQUIRE(out[0] == 40);
  REQUIRE(bare.updater->take_results(out) == 0);
}

TEST_CASE("a link without buckets does not serve an aggregating updater") {
  LoopbackTransport transport;
  constexpr LinkSpec kNone{.ring_slots = 8, .buckets = 0, .bucket_units = 6, .result_slots = 4};
  const Link link = test::need(allocate_link(transport, kNone, "link"));
  const Status status = AggregatedUpdater::open(transport, kNone, link, {kBytes, {}}).status();
  REQUIRE(status.code() == Code::kInvalid);
  REQUIRE(status.message().find("buckets") != std::string::npos);
}

}  // namespace woa::onesided
