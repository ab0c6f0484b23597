// A controller that sleeps soon after it was woken ends no nap of the service thread, credits wake only those that wait
// for room, and a controller that sleeps on the fabric itself needs no service thread.
#include <array>
#include <thread>

#include "runtime/transport/idle.h"
#include "tests/unit/runtime/transport/ofi/block_sides.h"

namespace woa::test {
namespace {

using std::chrono_literals::operator""ms;

constexpr ChannelSpec kKeeping{
    .ring_slots = 16, .return_slots = 8, .inline_bytes = 64, .header_crc = true, .kept_returns = 2};

// A channel whose ends have doorbells.
struct Ends {
  std::unique_ptr<OfiTransport> producer = ofi_or_skip(), consumer = ofi_or_skip();
  Pair channel = connected(*producer, *consumer, need(producer->channel_bytes(kKeeping)));
  DoorbellLine sender_line, receiver_line;
  Doorbell sender_bell{&sender_line}, receiver_bell{&receiver_line};
  std::unique_ptr<Sender> sender = need(producer->open_sender(kKeeping, channel.first, sender_bell, {}));
  std::unique_ptr<Receiver> receiver = need(consumer->open_receiver(kKeeping, channel.second, receiver_bell, {}));
  Inbox inbox;
  std::uint64_t sent = 0;

  void send() {
    REQUIRE(sender->reserve() == Push::kOk);
    ActivationPacket packet = token(++sent, 0, 0);
    packet.kind = static_cast<std::uint8_t>(PacketKind::kRetire);
    sender->commit(packet);
  }
  bool receive() {
    return within_patience([&] {
      receiver->poll(inbox, 64);
      return inbox.packets.size() == sent;
    });
  }
  // Sends a credit, and returns once the producer's process has it, though no controller of it looked.
  bool give_credit() {
    send();
    const std::uint64_t before = producer->counters().arrived;
    return receive() && within_patience([&] { return receiver->wake(), producer->counters().arrived != before; });
  }
};

}  // namespace

TEST_CASE("a controller that sleeps after each packet ends no nap") {
  Ends ends;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    ends.receiver->poll(ends.inbox, 64);  // attends
    ends.send();
    std::this_thread::sleep_for(2ms);  // the service thread finds it attending
    ends.receiver_bell.prepare(Doorbell::kWork);
    ends.receiver->poll(ends.inbox, 64);  // the last look
    ends.receiver_bell.cancel();
    REQUIRE(ends.receive());
    ends.sender->poll_returns({});
  }
  // A keep-alive in the same moment may make it nap.
  REQUIRE(ends.consumer->counters().ended_naps < kRounds / 2);
}

TEST_CASE("the service thread naps while a controller looks and looks") {
  Ends ends;
  REQUIRE(within_patience([&] {
    ends.send();
    const bool received = ends.receive();
    ends.sender->poll_returns({});
    return !received || ends.consumer->counters().naps > 0;
  }));
  REQUIRE(ends.receive());
}

TEST_CASE("what could be given back stays until the producer waits for room, which is told once") {
  Ends ends;
  const BlockReturn block{1, 2, 3, 4};
  ends.receiver->give_back(block);
  ends.receiver->wake();
  std::this_thread::sleep_for(2ms);
  std::array<BlockReturn, 2> back;
  REQUIRE(ends.sender->poll_returns(back) == 0);
  ends.receiver_bell.prepare(Doorbell::kWork);
  const std::uint64_t injected = ends.producer->counters().injected;
  for (int k = 0; k < 100; ++k) ends.sender->want_room(true);
  REQUIRE(within_patience([&] { return !ends.receiver_bell.prepared(); }));
  REQUIRE(ends.producer->counters().injected - injected < 5);  // with keep-alives
  ends.receiver->poll(ends.inbox, 64);
  REQUIRE(within_patience([&] { return ends.sender->poll_returns(back) == 1; }));
  REQUIRE(back[0] == block);
}

TEST_CASE("more than a producer can spare goes back at once") {
  Ends ends;
  const BlockReturn block{1, 2, 3, 4};
  for (std::uint32_t k = 0; k < kKeeping.kept_returns + 1; ++k) ends.receiver->give_back(block);
  ends.receiver->wake();
  std::array<BlockReturn, 4> back;
  REQUIRE(within_patience([&] { return ends.sender->poll_returns(back) == kKeeping.kept_returns + 1; }));
}

TEST_CASE("a producer that has not waited for room for some time says so") {
  Ends ends;
  ends.sender->want_room(true);
  REQUIRE(within_patience([&] { return ends.receiver->room_wanted(); }));
  ends.sender->want_room(false);  // it may wait again at once
  std::this_thread::sleep_for(2ms);
  REQUIRE(ends.receiver->room_wanted());
  REQUIRE(within_patience([&] { return ends.sender->want_room(false), !ends.receiver->room_wanted(); }));
}

TEST_CASE("a consumer says to its producer that it waits for room") {
  Ends ends;
  ends.sender_bell.prepare(Doorbell::kWork);
  REQUIRE_FALSE(ends.sender->room_wanted());
  ends.receiver->want_room(true);
  REQUIRE(within_patience([&] { return !ends.sender_bell.prepared(); }));
  REQUIRE(ends.sender->room_wanted());
}

TEST_CASE("a credit wakes only a controller that waits for room") {
  Ends ends;
  ends.sender->want_room(true);
  ends.sender_bell.prepare(Doorbell::kWork);
  REQUIRE(ends.give_credit());
  std::this_thread::sleep_for(2ms);
  REQUIRE(ends.sender_bell.prepared());
  ends.sender_bell.prepare(Doorbell::kWorkOrRoom);
  REQUIRE(ends.give_credit());
  REQUIRE(within_patience([&] { return !ends.sender_bell.prepared(); }));
}

TEST_CASE("a controller that sleeps on the fabric is woken by what comes, not by the service thread") {
  Ends ends;
  const std::unique_ptr<Sleeper> sleeper = ends.consumer->make_sleeper(ends.receiver_bell);
  REQUIRE(sleeper != nullptr);
  REQUIRE(ends.consumer->make_sleeper(ends.receiver_bell) == nullptr);  // one each
  constexpr std::size_t kRounds = 400;
  std::atomic<std::size_t> received{0};
  std::jthread controller([&] {
    Idle idle(ends.receiver_bell, {.spin_ns = 0, .yields = 0, .sleep_ns = 20'000'000'000}, sleeper.get());
    while (received < kRounds) {
      const auto poll = [&] {
        const std::size_t packets = ends.receiver->poll(ends.inbox, 64);
        received += packets;
        return packets > 0;
      };
      idle.idle(poll(), poll, [] { return Doorbell::kWork; });
    }
  });
  for (std::size_t round = 1; round <= kRounds; ++round) {
    ends.send();
    REQUIRE(within_patience([&] { return ends.sender->poll_returns({}), received == round; }));
  }
  controller.join();
  REQUIRE(ends.receiver_line.rings < kRounds / 2);  // it may have looked first for a moment
}

TEST_CASE("a ring and the end of its time end a sleep on the fabric") {
  Ends ends;
  const std::unique_ptr<Sleeper> sleeper = ends.consumer->make_sleeper(ends.receiver_bell);
  ends.receiver_bell.prepare();
  sleeper->sleep(1'000'000);
  REQUIRE_FALSE(ends.receiver_bell.prepared());
  for (int round = 0; round < 20; ++round) {
    ends.receiver_bell.prepare();
    std::jthread ringer([&] { ends.receiver_bell.ring(); });
    while (ends.receiver_bell.prepared()) sleeper->sleep(20'000'000'000);
  }
}

TEST_CASE("the end of a channel wakes a controller that waits for no room") {
  Ends ends;
  ends.sender_bell.prepare(Doorbell::kWork);
  ends.receiver.reset();
  REQUIRE(within_patience([&] { return !ends.sender_bell.prepared(); }));
}

}  // namespace woa::test
