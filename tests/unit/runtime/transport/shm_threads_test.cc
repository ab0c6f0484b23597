// Both ends of a channel in two threads on one mapping, so that ThreadSanitizer sees both sides of every word. Channels
// of shm are mapped once for this: it takes the two addresses of two mappings for different memory.
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/ring_receiver.h"
#include "runtime/transport/ring_sender.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/transport/two_threads.h"

namespace woa {
namespace {

constexpr std::uint64_t kPackets = 100'000;

std::shared_ptr<Mapping> map_new(SharedMemory& transport, std::size_t bytes) {
  auto segment = transport.allocate("threads", bytes);
  REQUIRE(segment.ok());
  auto mapping = (*segment)->map(Access::kReadWrite);
  REQUIRE(mapping.ok());
  return std::shared_ptr<Mapping>(std::move(*mapping));
}

void run(SharedMemory& transport, const ChannelSpec& spec, std::uint64_t packets = kPackets) {
  const auto channel = map_new(transport, *ring_channel_bytes(spec));
  const auto region = map_new(transport, spec.return_slots * test::kBlockBytes);
  std::array<DoorbellLine, 2> lines;
  RingSender sender(spec, channel, Doorbell(&lines[1]));
  RingReceiver receiver(spec, channel, Doorbell(&lines[0]));
  REQUIRE(test::run_two_threads(sender, receiver, lines, region->bytes(), packets));
}

}  // namespace

TEST_CASE("two threads on one shm mapping") {
  ShmTransport transport;
  run(transport, {.ring_slots = 16, .return_slots = 8, .inline_bytes = 64, .header_crc = false});
}

TEST_CASE("two threads on the smallest shm channel") {
  ShmTransport transport;
  run(transport, {.ring_slots = 1, .return_slots = 1, .inline_bytes = 64, .header_crc = true},
      kPackets / 20);  // each waits for the one before: the machine's other work decides how long
}

TEST_CASE("two threads on a ring shorter than its region") {
  ShmTransport transport;
  run(transport, {.ring_slots = 2, .return_slots = 16, .inline_bytes = 64, .header_crc = false});
}

TEST_CASE("two threads on a loopback channel") {
  LoopbackTransport transport;
  run(transport, {.ring_slots = 64, .return_slots = 64, .inline_bytes = 64, .header_crc = false});
}

}  // namespace woa
