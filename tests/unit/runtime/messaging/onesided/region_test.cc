// Regions: who may attach to what.
#include "runtime/messaging/onesided/region.h"

#include "runtime/messaging/onesided/hardware_updater.h"
#include "runtime/messaging/onesided/link.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"

namespace woa::onesided {

TEST_CASE("a coherent region is the same memory for whoever attaches to it") {
  LoopbackTransport transport;
  const Region region = test::need(Region::make(transport, "region", 24, Sharing::kCoherent));
  const Region attached = test::need(Region::attach(region.segment()));
  REQUIRE(attached.bytes().size() == 24);
  REQUIRE(attached.sharing() == Sharing::kCoherent);
  attached.perform(put<std::uint64_t>(16, 42));
  REQUIRE(region.load<std::uint64_t>(16) == 42);
  attached.announce(kMaxOrigins - 1, 7);
  REQUIRE(region.performed(kMaxOrigins - 1) == 7);
  REQUIRE(region.performed(0) == 0);
}

TEST_CASE("nobody attaches to an exclusive region, nor updates it by hardware") {
  LoopbackTransport transport;
  const Region region = test::need(Region::make(transport, "region", 24, Sharing::kExclusive));
  const Status status = Region::attach(region.segment()).status();
  REQUIRE(status.code() == Code::kUnsupported);
  REQUIRE(status.message().find("coherent") != std::string::npos);
  REQUIRE(HardwareUpdater::open(region, {}).status().code() == Code::kUnsupported);
}

TEST_CASE("what is no region is not attached to") {
  LoopbackTransport transport;
  REQUIRE(Region::attach(test::need(transport.allocate("zeros", 8192))).status().code() == Code::kInvalid);
  REQUIRE(Region::attach(test::need(transport.allocate("small", 4096))).status().code() == Code::kInvalid);
  const Region region = test::need(Region::make(transport, "region", 24, Sharing::kCoherent));
  const auto mapping = test::need(region.segment()->map(Access::kReadWrite));
  const std::byte was = std::exchange(mapping->bytes()[0], std::byte{0});  // its magic
  REQUIRE(Region::attach(region.segment()).status().code() == Code::kInvalid);
  mapping->bytes()[0] = was;
  mapping->bytes()[8] = std::byte{25};  // its size
  REQUIRE(Region::attach(region.segment()).status().code() == Code::kInvalid);
  mapping->bytes()[8] = std::byte{24};
  mapping->bytes()[16] = std::byte{9};  // its sharing
  REQUIRE(Region::attach(region.segment()).status().code() == Code::kInvalid);
}

TEST_CASE("a region of no bytes, or of more than a place can name") {
  LoopbackTransport transport;
  REQUIRE(Region::make(transport, "region", 0, Sharing::kCoherent).status().code() == Code::kInvalid);
  REQUIRE(Region::make(transport, "region", kMaxRegionBytes, Sharing::kCoherent).status().code() == Code::kInvalid);
}

TEST_CASE("an updater by hardware has a counter of the region's, and a power of two of results") {
  LoopbackTransport transport;
  const Region region = test::need(Region::make(transport, "region", 24, Sharing::kCoherent));
  REQUIRE(HardwareUpdater::open(region, {.origin = kMaxOrigins, .result_slots = 8}).status().code() == Code::kInvalid);
  REQUIRE(HardwareUpdater::open(region, {.origin = 0, .result_slots = 0}).status().code() == Code::kInvalid);
  REQUIRE(HardwareUpdater::open(region, {.origin = 0, .result_slots = 12}).status().code() == Code::kInvalid);
}

}  // namespace woa::onesided
