// Ends and links that go while their last message is on the way: the wire still writes from their memory, and into it.
#include <thread>

#include "tests/cts/packing/rig.h"

namespace woa::cts {
namespace {

constexpr LinkSpec kLarge{.blocks = 8, .block_bytes = 1 << 20, .later_pieces = 1};
constexpr std::size_t kBytes = 8'000'000;  // all blocks, and more than a socket takes at once
constexpr std::uint64_t kLives = 10;

std::vector<Item> large_message(std::uint64_t seed) {
  return {item(kBytes, SendMode::kCheaper, ReceiveMode::kCheaper, false, seed)};
}

}  // namespace

TEST_CASE("a packer and its link that go right behind a large message take nothing of it away") {
  for (std::uint64_t life = 0; life < kLives; ++life) {
    INFO("life " << life);
    LinkEnds ends = allocate_ends(*usual_sides(), kLarge);
    auto packer = need(Packer::open(*usual_sides()->producer, kLarge, ends.packer));
    auto unpacker = need(Unpacker::open(*usual_sides()->consumer, kLarge, ends.unpacker));
    std::vector<Item> items = large_message(life);
    Script sender, receiver;
    add_message(sender, *packer, items);
    sender.run();
    REQUIRE(sender.done());
    packer.reset();
    std::thread other([&] { ends.packer = {}; });  // waits for the unpacker to close
    add_message(receiver, *unpacker, items);
    const bool ended = in_time([&] { return receiver.run(), receiver.done(); });
    const std::string why = unpacker->status().message();
    unpacker.reset();
    other.join();
    INFO(why);
    REQUIRE(ended);
    REQUIRE(receiver.last() == Outcome::kOk);
  }
}

TEST_CASE("an unpacker and its link that go before a large message is there: the packer only hears that they closed") {
  for (std::uint64_t life = 0; life < kLives; ++life) {
    INFO("life " << life);
    LinkEnds ends = allocate_ends(*usual_sides(), kLarge);
    auto packer = need(Packer::open(*usual_sides()->producer, kLarge, ends.packer));
    auto unpacker = need(Unpacker::open(*usual_sides()->consumer, kLarge, ends.unpacker));
    const std::vector<Item> items = large_message(life);
    Script sender;
    add_message(sender, *packer, items);
    sender.run();
    unpacker.reset();
    std::thread other([&] { ends.unpacker = {}; });  // waits for the packer to close
    const bool told = in_time([&] { return packer->status().code() == Code::kPeerLost; });
    const std::string why = packer->status().message();
    packer.reset();
    other.join();
    INFO(why);
    REQUIRE(told);
    REQUIRE(why.find("the receiver closed") != std::string::npos);
  }
}

}  // namespace woa::cts
