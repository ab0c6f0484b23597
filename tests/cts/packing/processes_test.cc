// The two ends in processes of their own; one of them dies.
#include "tests/cts/packing/patient.h"
#include "tests/support/child.h"
#include "tests/support/says.h"

namespace woa::cts {

using test::Child;

TEST_CASE("two processes, one message after another in every mode") {
  constexpr std::uint64_t kMessages = 600;
  Rig rig;
  Child sender([&] {
    auto packer = rig.open_packer();
    return packer.ok() && send_messages(**packer, kMessages, rig.spec) ? 0 : 1;
  });
  const auto unpacker = need(rig.open_unpacker());
  const bool received = receive_messages(*unpacker, kMessages, rig.spec);
  INFO(unpacker->status().message());
  REQUIRE(received);
  REQUIRE(sender.exit_code() == 0);
}

TEST_CASE("a sender that is killed within a message: what was unpacked stays, the rest is an error") {
  Rig rig;
  const std::size_t all = std::size_t{rig.spec.blocks} * rig.spec.block_bytes;
  Child sender([&] {
    auto packer = rig.open_packer();
    const Bytes first = pattern(20, 1), rest = pattern(4 * all, 2);
    (*packer)->begin();
    patiently([&] { return (*packer)->pack(first, SendMode::kSafer, ReceiveMode::kExpress); });
    for (;;) (*packer)->pack(rest, SendMode::kSafer, ReceiveMode::kCheaper);
    return 0;
  });
  const auto unpacker = need(rig.open_unpacker());
  Bytes first(20), rest(4 * all);
  REQUIRE(patiently([&] { return unpacker->begin(); }));
  REQUIRE(patiently([&] { return unpacker->unpack(first, SendMode::kSafer, ReceiveMode::kExpress); }));
  sender.kill();
  REQUIRE(WIFSIGNALED(sender.wait()));
  REQUIRE(rig.close_channel());
  REQUIRE_FALSE(patiently([&] { return unpacker->unpack(rest, SendMode::kSafer, ReceiveMode::kCheaper); }));
  INFO(unpacker->status().message());
  REQUIRE(unpacker->status().code() == Code::kPeerLost);
  REQUIRE(test::says(unpacker->status(), "within message 0, before piece 1"));
  REQUIRE(first == pattern(20, 1));
}

TEST_CASE("a receiver that is killed within a message") {
  Rig rig;
  const std::size_t all = std::size_t{rig.spec.blocks} * rig.spec.block_bytes;
  Child receiver([&] {
    auto unpacker = rig.open_unpacker();
    Bytes part(all);
    patiently([&] { return (*unpacker)->begin(); });
    patiently([&] { return (*unpacker)->unpack(part, SendMode::kSafer, ReceiveMode::kExpress); });
    for (;;) std::this_thread::yield();
    return 0;
  });
  const auto packer = need(rig.open_packer());
  const Bytes part = pattern(all, 1), rest = pattern(4 * all, 2);
  REQUIRE(packer->begin() == Outcome::kOk);
  REQUIRE(patiently([&] { return packer->pack(part, SendMode::kSafer, ReceiveMode::kExpress); }));
  receiver.kill();
  REQUIRE(WIFSIGNALED(receiver.wait()));
  REQUIRE(rig.close_channel());
  REQUIRE_FALSE(patiently([&] { return packer->pack(rest, SendMode::kCheaper, ReceiveMode::kCheaper); }));
  INFO(packer->status().message());
  REQUIRE(packer->status().code() == Code::kPeerLost);
}

}  // namespace woa::cts
