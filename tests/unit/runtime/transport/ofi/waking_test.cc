// Who wakes whom: a controller that sleeps soon after it was woken ends no nap of the service thread, and credits wake
// only those that wait for room.
#include <thread>

#include "tests/unit/runtime/transport/ofi/block_sides.h"

namespace woa::test {
namespace {

using std::chrono_literals::operator""ms;

// A channel whose ends have doorbells.
struct Ends {
  std::unique_ptr<OfiTransport> producer = ofi_or_skip(), consumer = ofi_or_skip();
  Pair channel = connected(*producer, *consumer, need(producer->channel_bytes(kSpec)));
  DoorbellLine sender_line, receiver_line;
  Doorbell sender_bell{&sender_line}, receiver_bell{&receiver_line};
  std::unique_ptr<Sender> sender = need(producer->open_sender(kSpec, channel.first, sender_bell, {}));
  std::unique_ptr<Receiver> receiver = need(consumer->open_receiver(kSpec, channel.second, receiver_bell, {}));
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

TEST_CASE("the end of a channel wakes a controller that waits for no room") {
  Ends ends;
  ends.sender_bell.prepare(Doorbell::kWork);
  ends.receiver.reset();
  REQUIRE(within_patience([&] { return !ends.sender_bell.prepared(); }));
}

}  // namespace woa::test
