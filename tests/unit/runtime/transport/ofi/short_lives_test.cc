// Channels that come and go on the same transports.
#include "tests/unit/runtime/transport/ofi/two_sides.h"

namespace woa::test {
namespace {

constexpr ChannelSpec kShortLived{.ring_slots = 4, .return_slots = 1, .inline_bytes = 0, .header_crc = true};

}  // namespace

TEST_CASE("what is still written into a channel that was closed reaches none that is opened after it") {
  const auto producer = ofi_or_skip(), consumer = ofi_or_skip();
  const std::size_t bytes = need(producer->channel_bytes(kShortLived));
  for (std::uint64_t life = 0; life < 50; ++life) {
    INFO("life " << life);
    const Pair channel = connected(*producer, *consumer, bytes);
    const auto sender = need(producer->open_sender(kShortLived, channel.first, {}, {}));
    const auto receiver = need(consumer->open_receiver(kShortLived, channel.second, {}, {}));
    REQUIRE(sender->reserve() == Push::kOk);
    sender->commit(token(life, 0, 0));
    Inbox inbox;
    REQUIRE(within_patience([&] {
      receiver->poll(inbox, 4);
      return !inbox.packets.empty();
    }));
    REQUIRE(inbox.packets.size() == 1);
    REQUIRE(inbox.packets[0].instance == life);
    REQUIRE((sender->status().ok() && receiver->status().ok()));
    REQUIRE_FALSE((is_closed(*sender) || receiver->closed()));
  }
}

}  // namespace woa::test
