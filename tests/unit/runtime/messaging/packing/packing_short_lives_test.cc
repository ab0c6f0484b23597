// Ends and links that go while their last message is on the way: the wire still writes from their memory, and into it.
#include <thread>

#include "tests/cts/packing/rig.h"

namespace woa::cts {
namespace {

constexpr std::size_t kBytes = 8'000'000;  // all blocks, and more than a socket takes at once
constexpr std::uint64_t kLives = 10;

// A link whose blocks hold a whole message, and both of its ends.
struct ShortLife {
  explicit ShortLife(std::uint64_t number, std::uint64_t rendezvous_bytes = packing::kNoRendezvous)
      : spec{.blocks = 8, .block_bytes = 1 << 20, .later_pieces = 1, .rendezvous_bytes = rendezvous_bytes},
        items{item(kBytes, SendMode::kCheaper, ReceiveMode::kCheaper, false, number)} {
    add_message(sender, *packer, items);
    add_message(receiver, *unpacker, items);
  }

  LinkSpec spec;
  LinkEnds ends = allocate_ends(*usual_sides(), spec);
  std::vector<Item> items;
  std::unique_ptr<Packer> packer = need(Packer::open(usual_sides()->producer, spec, ends.packer));
  std::unique_ptr<Unpacker> unpacker = need(Unpacker::open(usual_sides()->consumer, spec, ends.unpacker));
  Script sender, receiver;
};

}  // namespace

TEST_CASE("a packer and its link that go right behind a large message take nothing of it away") {
  for (std::uint64_t number = 0; number < kLives; ++number) {
    INFO("life " << number);
    ShortLife life(number);
    life.sender.run();
    REQUIRE(life.sender.done());
    life.packer.reset();
    std::thread other([&] { life.ends.packer = {}; });  // waits for the unpacker to close
    const bool ended = in_time([&] { return life.receiver.run(), life.receiver.done(); });
    const std::string why = life.unpacker->status().message();
    life.unpacker.reset();
    other.join();
    INFO(why);
    REQUIRE(ended);
    REQUIRE(life.receiver.last() == Outcome::kOk);
  }
}

TEST_CASE("an unpacker and its link that go before a large message is there: the packer only hears that they closed") {
  for (const std::uint64_t rendezvous_bytes : {packing::kNoRendezvous, std::uint64_t{1}}) {
    for (std::uint64_t number = 0; number < kLives; ++number) {
      INFO("life " << number << ", by rendezvous from " << rendezvous_bytes << " bytes on");
      ShortLife life(number, rendezvous_bytes);
      life.sender.run();
      life.unpacker.reset();
      std::thread other([&] { life.ends.unpacker = {}; });  // waits for the packer to close
      const bool told = in_time([&] {
        life.sender.run();
        return life.packer->status().code() == Code::kPeerLost;
      });
      const std::string why = life.packer->status().message();
      life.packer.reset();
      other.join();
      INFO(why);
      REQUIRE(told);
      REQUIRE(why.find("closed") != std::string::npos);
    }
  }
}

// Granted memory is the caller's again when the unpacker has gone.
TEST_CASE("an unpacker that goes while a piece lands in the caller's memory: nothing is written there from then on") {
  for (std::uint64_t number = 0; number < kLives; ++number) {
    INFO("life " << number);
    ShortLife life(number, 1);
    REQUIRE(in_time([&] {
      life.sender.run();
      life.receiver.run();
      return life.unpacker->arrived() > 0 || life.receiver.done();
    }));
    std::thread other(
        [&] { (void)in_time([&] { return life.sender.run(), life.sender.done(); }), life.packer.reset(); });
    life.unpacker.reset();  // waits for the packer to close
    const Bytes then = life.items.front().received;
    other.join();
    REQUIRE(life.items.front().received == then);
    REQUIRE(life.sender.last() != Outcome::kRefused);  // it heard of it, or had sent all
  }
}

}  // namespace woa::cts
