// Messages of strangers, whom libfabric lets in: they are thrown away, and channels go on.
#include <thread>

#include "runtime/transport/ofi/description.h"
#include "runtime/transport/ofi/immediate.h"
#include "tests/support/ofi_stranger.h"
#include "tests/unit/runtime/transport/ofi/two_sides.h"

namespace woa::test {
namespace {

// Of one packet of libfabric, of several, and one that the receiver fetches, more than it has room for.
constexpr std::array<std::size_t, 4> kSizes{0, 1000, 20'000, 600'000};

}  // namespace

TEST_CASE("messages of strangers are thrown away beside a channel that goes on") {
  constexpr std::uint64_t kRounds = 200;
  const auto producer = ofi_or_skip(), consumer = ofi_or_skip();
  const ChannelSpec spec{.ring_slots = 4, .return_slots = 4, .inline_bytes = 64, .header_crc = true};
  const Pair pair = connected(*producer, *consumer, need(producer->channel_bytes(spec)));
  const auto sender = need(producer->open_sender(spec, pair.first, {}, {}));
  const auto receiver = need(consumer->open_receiver(spec, pair.second, {}, {}));
  const auto victim = need(ofi::SegmentDescription::decode(pair.second->description()));
  OfiStranger stranger(need(ofi::open_fabric("tcp;ofi_rxm", "127.0.0.1")), victim.address);
  // Looks like the immediate of a packet, and is none.
  const std::uint64_t number = ofi::Immediate{ofi::kFirstLinePlace, victim.segment, 1}.encode();
  Inbox inbox;
  for (std::uint64_t n = 0; n < kRounds; ++n) {
    for (const bool tagged : {false, true}) REQUIRE(stranger.send(kSizes[n % kSizes.size()], tagged, number));
    REQUIRE(within_patience([&] { return sender->reserve() == Push::kOk; }));
    sender->commit(token(n, 1, 0));
    REQUIRE(within_patience([&] {
      (void)stranger.look();
      return receiver->poll(inbox, 8) == 1;
    }));
    REQUIRE(inbox.packets.back().instance == n);
  }
  REQUIRE(within_patience([&] {
    (void)stranger.look();
    (void)receiver->poll(inbox, 8);
    return consumer->counters().messages == 2 * kRounds;
  }));
  REQUIRE(receiver->status().ok());
  REQUIRE(sender->status().ok());
  REQUIRE(inbox.packets.size() == kRounds);
  REQUIRE(consumer->counters().errors == 0);
  REQUIRE(producer->counters().messages == 0);
}

TEST_CASE("an endpoint closes while strangers go on sending") {
  auto victim = ofi_or_skip();
  auto replica = need(victim->allocate("test", 64));
  const std::string address = need(ofi::SegmentDescription::decode(replica->description())).address;
  std::vector<std::unique_ptr<OfiStranger>> strangers;
  std::vector<std::jthread> sending;
  for (int k = 0; k < 3; ++k) {
    strangers.push_back(std::make_unique<OfiStranger>(need(ofi::open_fabric("tcp;ofi_rxm", "127.0.0.1")), address));
    sending.emplace_back([stranger = strangers.back().get()] {
      while (stranger->send(64, false)) {
      }
    });
  }
  const bool heard = within_patience([&] { return victim->counters().messages > 1000; });
  replica.reset(), victim.reset();  // would never return
  for (const auto& stranger : strangers) stranger->give_up();
  REQUIRE(heard);
}

}  // namespace woa::test
