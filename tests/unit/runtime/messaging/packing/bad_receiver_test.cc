// A receiver that breaks the rules: the link ends, and the sender's status says why.
#include "runtime/transport/rendezvous.h"
#include "tests/cts/packing/rig.h"
#include "tests/support/says.h"

namespace woa::cts {

TEST_CASE("a receiver that gives back what it does not have ends the link") {
  const Bytes piece = pattern(128, 1);
  for (const std::uint32_t offset : {0U, 1U, 1000U}) {
    const Rig rig(LinkSpec{2, 128, 4});
    const auto packer = need(rig.open_packer());
    auto checked = need(packing::check_link(rig.sides->consumer, rig.spec, rig.ends.unpacker));
    const auto receiver =
        need(rig.sides->consumer.open_receiver(checked.channel, rig.ends.unpacker.channel, {}, checked.regions));
    std::unique_ptr<RendezvousReceiver> direct;  // closes as the receiver does
    if (rig.ends.unpacker.rendezvous != nullptr)
      direct =
          need(rig.sides->consumer.wire()->rendezvous()->open_rendezvous_receiver(rig.ends.unpacker.rendezvous, {}));
    receiver->give_back({0, offset, 0, 0});
    receiver->wake();
    rig.sides->settle();
    REQUIRE(packer->begin() == Outcome::kOk);
    // A sender looks when it takes a block.
    REQUIRE(in_time([&] { return packer->pack(piece, SendMode::kSafer, ReceiveMode::kCheaper) == Outcome::kClosed; }));
    REQUIRE(packer->end() == Outcome::kClosed);
    REQUIRE(test::says(packer->status(), Code::kDataLoss, "gave back a block that it did not have"));
  }
}

}  // namespace woa::cts
