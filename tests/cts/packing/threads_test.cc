// The two ends in threads of their own, and a message in each direction at once.
#include <atomic>

#include "tests/cts/packing/patient.h"

namespace woa::cts {

TEST_CASE("two threads, one message after another in every mode") {
  constexpr std::uint64_t kMessages = 600;
  OpenRig rig;
  bool sent = false;
  std::thread sender([&, packer = std::move(rig.packer)]() mutable {
    sent = send_messages(*packer, kMessages, rig.spec);
    packer.reset();
  });
  const bool received = receive_messages(*rig.unpacker, kMessages, rig.spec);
  sender.join();
  INFO(rig.unpacker->status().message());
  REQUIRE(received);
  REQUIRE(sent);
}

TEST_CASE("two threads that pack large messages to each other before they unpack do not wait for ever") {
  OpenRig there, back;
  const std::size_t all = std::size_t{there.spec.blocks} * there.spec.block_bytes;
  std::atomic<int> well{0};
  const auto side = [&](Packer& packer, Unpacker& unpacker, std::uint64_t seed) {
    // One script for both: neither call may hold up the other.
    std::vector<Item> out{item(4 * all, SendMode::kSafer, ReceiveMode::kCheaper, false, seed)};
    std::vector<Item> in{item(4 * all, SendMode::kSafer, ReceiveMode::kCheaper, false, 3 - seed)};
    Script sending, receiving;
    add_message(sending, packer, out);
    add_message(receiving, unpacker, in);
    while (!sending.done() || !receiving.done())
      if (const bool sent = sending.run(), got = receiving.run(); !sent && !got) std::this_thread::yield();
    if (sending.last() == Outcome::kOk && receiving.last() == Outcome::kOk) ++well;
  };
  std::thread other([&] { side(*back.packer, *there.unpacker, 2); });
  side(*there.packer, *back.unpacker, 1);
  other.join();
  REQUIRE(well == 2);
}

}  // namespace woa::cts
