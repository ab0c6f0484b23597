// A producer, a device that publishes and a consumer in three threads on one mapping: traffic for ThreadSanitizer.
#include "runtime/transport/prepared_ring.h"
#include "runtime/transport/ring_receiver.h"
#include "tests/support/catch.h"
#include "tests/support/publishing_device.h"
#include "tests/unit/runtime/transport/heap_channel.h"
#include "tests/unit/runtime/transport/two_threads.h"

namespace woa {
namespace {

// Leaves every other packet, with its payload, to the device, unless one of the host waits.
class ThroughDevice final : public Sender {
 public:
  ThroughDevice(PreparedRing& ring, std::span<std::byte> region, Doorbell own)
      : ring_(ring), region_(region), device_(1, own) {}

  Push reserve() noexcept override { return ring_.reserve(); }
  void cancel() noexcept override { ring_.cancel(); }
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    const std::span<std::byte> block =
        region_.subspan(std::size_t{header.offset} * kOffsetUnitBytes, test::kBlockBytes);
    if (header.instance % 2 == 0) return ring_.commit(header, inline_payload);
    const Publication prepared = ring_.prepare(header, inline_payload);
    if (prepared.word == nullptr) return ring_.publish(prepared);
    std::vector<std::byte> payload(block.begin(), block.end());  // what the producer wrote, until the device does
    std::ranges::fill(block, std::byte{0xee});
    device_.publish(prepared, block, std::move(payload));
  }
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    return ring_.commit_sealed(header, inline_payload);
  }
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override {
    ring_.flush(), ring_.wake();  // a completion may have shown
    return ring_.poll_returns(out);
  }
  Status status() const override { return ring_.status(); }
  void wake() noexcept override { ring_.wake(); }

 private:
  PreparedRing& ring_;
  std::span<std::byte> region_;
  test::PublishingDevice device_;
};

void run(const ChannelSpec& spec, std::uint64_t packets) {
  const auto channel = std::make_shared<test::HeapChannel>(spec);
  std::vector<std::byte> region(spec.return_slots * test::kBlockBytes);
  std::array<DoorbellLine, 2> lines;
  PreparedRing ring(spec, channel, Doorbell(&lines[1]));
  RingReceiver receiver(spec, channel, Doorbell(&lines[0]));
  ThroughDevice sender(ring, region, Doorbell(&lines[0]));
  REQUIRE(test::run_two_threads(sender, receiver, lines, region, packets));
  REQUIRE(ring.flush() == 0);
}

}  // namespace

TEST_CASE("three threads: a producer, its device and a consumer") {
  run({.ring_slots = 16, .return_slots = 8, .inline_bytes = 64, .header_crc = false}, 10'000);
}

TEST_CASE("three threads on a short ring") {
  run({.ring_slots = 2, .return_slots = 8, .inline_bytes = 64, .header_crc = true}, 1'000);
}

}  // namespace woa
