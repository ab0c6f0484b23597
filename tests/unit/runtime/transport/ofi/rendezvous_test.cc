// A rendezvous whose other end breaks the rules, or goes: always a reason. Tests of what the wire itself must refuse
// are in tests/unit/runtime/messaging/packing/packing_processes_test.cc: libfabric does not always survive that.
#include "runtime/transport/rendezvous.h"

#include <time.h>

#include <cstring>

#include "runtime/memory/pages.h"
#include "runtime/transport/ofi/channel_map.h"
#include "runtime/transport/ofi/description.h"
#include "runtime/transport/ofi/grant_line.h"
#include "runtime/transport/ofi/mailbox.h"
#include "runtime/transport/ofi/segment.h"
#include "tests/support/says.h"
#include "tests/unit/runtime/transport/ofi/two_sides.h"

namespace woa::test {
namespace {

using ofi::GrantLine;
using ofi::StateLine;

constexpr std::size_t kPiece = 3 * kTransferChunkBytes - 5;

// Both ends, honest.
struct Honest {
  std::unique_ptr<OfiTransport> first = ofi_or_skip(), second = ofi_or_skip();
  Pair segments = connected(*first, *second, first->rendezvous()->rendezvous_segment_bytes());
  std::unique_ptr<RendezvousSender> sender = need(first->rendezvous()->open_rendezvous_sender(segments.first, {}));
  std::unique_ptr<RendezvousReceiver> receiver =
      need(second->rendezvous()->open_rendezvous_receiver(segments.second, {}));
  std::vector<std::byte> from = std::vector<std::byte>(kPiece, std::byte{7});
};

// One honest end, and a peer that writes whatever the test wants.
struct Broken {
  Broken()
      : wire(std::make_shared<ofi::ServedFabric>("tcp;ofi_rxm", need(ofi::open_fabric("tcp;ofi_rxm", "127.0.0.1")),
                                                 ofi::KeepAlive{})) {
    segment = need(transport->allocate("rendezvous", ofi::kRendezvousSegmentBytes));
    peer =
        need(ofi::OfiSegment::make(wire, need(map_pages(-1, ofi::kRendezvousSegmentBytes, Access::kReadWrite)), false));
    REQUIRE(transport->connect(segment, peer->description(), {}).ok());
    victim = need(ofi::SegmentDescription::decode(segment->description()));
    address = need(wire->fabric.insert(victim.address));
    operation = wire->fabric.make_operations(peer->number(), 1);
  }
  ~Broken() { close(); }
  // Ends properly: nobody waits for what may still come.
  void close() { write(std::as_bytes(std::span(&kClosed, 1)), victim.base, victim.key, ofi::kStatePlace, 0); }

  // Writes a line, from where no honest receiver writes its grant.
  void write(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t key, std::uint32_t place,
             std::uint32_t sequence) {
    std::memcpy(peer->memory().data() + ofi::ChannelMap::kOwnState, bytes.data(), bytes.size());
    const ofi::Target target{address, at, key, {place, victim.segment, sequence}};
    REQUIRE(within_patience([&] {
      return wire->fabric.write_line(peer->piece(ofi::ChannelMap::kOwnState, bytes.size()), target, *operation) ==
             ofi::Post::kPosted;
    }));
  }
  void grant(GrantLine line, bool sealed = true, std::uint32_t place = 1) {
    if (sealed) line.crc32c = line.checksum();
    write(std::as_bytes(std::span(&line, 1)), victim.base + ofi::kGrantAt, victim.key, place, line.number);
  }
  // The grant that an honest receiver would give.
  [[nodiscard]] GrantLine good() const {
    GrantLine line;
    line.number = 1, line.bytes = kPiece;
    line.address = 0, line.key = 12345;  // of nothing
    return line;
  }
  // The grant that an honest receiver gave, once it is there.
  [[nodiscard]] GrantLine granted(const std::function<void()>& meanwhile, std::uint32_t number = 1) const {
    GrantLine line;
    REQUIRE(within_patience([&] {
      meanwhile();
      wire->fabric.progress(false);
      wire->fabric.locked([&] { std::memcpy(&line, peer->memory().data() + ofi::kGrantAt, sizeof line); });
      return line.number == number && line.crc32c == line.checksum();
    }));
    return line;
  }

  static constexpr StateLine kClosed{.closed = 1};
  std::unique_ptr<OfiTransport> transport = ofi_or_skip();
  std::shared_ptr<ofi::ServedFabric> wire;
  std::shared_ptr<Replica> segment;
  std::shared_ptr<ofi::OfiSegment> peer;
  ofi::SegmentDescription victim;
  fi_addr_t address{};
  ofi::Operation* operation = nullptr;
};

}  // namespace

TEST_CASE("transfers land where they were granted, one after another") {
  Honest ends;
  for (int times = 0; times < 20; ++times) {
    std::vector<std::byte> to(kPiece + 2, std::byte{1});
    REQUIRE(ends.sender->offer(ends.from));
    bool left = false, landed = false;
    REQUIRE(within_patience([&] {
      left = left || ends.sender->write() == Transfer::kOk;
      landed = landed || ends.receiver->land(std::span(to).subspan(1, kPiece)) == Transfer::kOk;
      return left && landed;
    }));
    REQUIRE((to.front() == std::byte{1} && to.back() == std::byte{1}));
    REQUIRE(std::equal(ends.from.begin(), ends.from.end(), to.begin() + 1));
  }
  REQUIRE((ends.sender->status().ok() && ends.receiver->status().ok()));
}

TEST_CASE("a segment of another size, or one that is not connected, is refused") {
  const auto transport = ofi_or_skip();
  Rendezvous& rendezvous = *transport->rendezvous();
  const auto small = need(transport->allocate("rendezvous", 64)),
             alone = need(transport->allocate("rendezvous", rendezvous.rendezvous_segment_bytes()));
  REQUIRE(rendezvous.open_rendezvous_sender(small, {}).status().code() == Code::kInvalid);
  REQUIRE(rendezvous.open_rendezvous_receiver(small, {}).status().code() == Code::kInvalid);
  REQUIRE(says(rendezvous.open_rendezvous_sender(alone, {}).status(), Code::kInvalid, "connect it"));
  REQUIRE(says(rendezvous.open_rendezvous_receiver(alone, {}).status(), Code::kInvalid, "connect it"));
}

TEST_CASE("a producer that closes within a transfer, and a consumer that does") {
  std::vector<std::byte> to(kPiece);
  Honest first;
  REQUIRE(within_patience([&] { return first.receiver->land(to) != Transfer::kClosed && first.sender != nullptr; }));
  first.sender.reset();
  REQUIRE(within_patience([&] { return first.receiver->land(to) == Transfer::kClosed; }));
  REQUIRE(says(first.receiver->status(), Code::kPeerLost, "the producer closed when 0 of " + std::to_string(kPiece)));
  Honest second;
  REQUIRE(second.sender->offer(second.from));
  REQUIRE(second.sender->write() == Transfer::kBackPressured);
  second.receiver.reset();
  REQUIRE(within_patience([&] { return second.sender->write() == Transfer::kClosed; }));
  REQUIRE(says(second.sender->status(), Code::kPeerLost, "the consumer closed before transfer 1"));
}

// The service thread rings for an end that waits for room on the wire, each millisecond.
TEST_CASE("an end whose peer has gone is not rung for room that it does not need any more") {
  DoorbellLine bell;
  const auto first = ofi_or_skip(), second = ofi_or_skip();
  const Pair segments = connected(*first, *second, first->rendezvous()->rendezvous_segment_bytes());
  const auto sender = need(first->rendezvous()->open_rendezvous_sender(segments.first, Doorbell(&bell)));
  auto receiver = need(second->rendezvous()->open_rendezvous_receiver(segments.second, {}));
  const std::vector<std::byte> from(kMostTransferBytes, std::byte{7});
  std::vector<std::byte> to(from.size());
  REQUIRE(sender->offer(from));
  REQUIRE(within_patience([&] {
    REQUIRE(sender->write() == Transfer::kBackPressured);
    REQUIRE(receiver->land(to) == Transfer::kBackPressured);
    return receiver->landed() > 0;
  }));
  const auto is_rung = [&](long ms) {
    const timespec some{0, ms * 1'000'000};
    const std::uint32_t before = bell.rings;
    Doorbell(&bell).prepare();
    nanosleep(&some, nullptr);
    return bell.rings != before;
  };
  REQUIRE(within_patience([&] { return is_rung(20); }));  // more chunks wait
  receiver.reset();
  REQUIRE(within_patience([&] { return !is_rung(200); }));
  REQUIRE(sender->write() == Transfer::kClosed);
}

TEST_CASE("a peer that is past what never came: it was lost") {
  const auto until_closed = [](Broken& bad, const std::function<Transfer()>& call) {
    const StateLine past{.next_sequence = 3};
    const timespec nap{0, 20'000'000};
    return within_patience([&] {
      bad.write(std::as_bytes(std::span(&past, 1)), bad.victim.base, bad.victim.key, ofi::kStatePlace, 0);
      bad.wire->fabric.progress(false);
      nanosleep(&nap, nullptr);
      return call() == Transfer::kClosed;
    });
  };
  std::vector<std::byte> memory(kPiece);
  Broken producer;
  const auto receiver = need(producer.transport->rendezvous()->open_rendezvous_receiver(producer.segment, {}));
  REQUIRE(until_closed(producer, [&] { return receiver->land(memory); }));
  REQUIRE(says(receiver->status(), Code::kDataLoss, "a chunk was lost; 0 of " + std::to_string(kPiece)));
  producer.close();
  Broken consumer;
  const auto sender = need(consumer.transport->rendezvous()->open_rendezvous_sender(consumer.segment, {}));
  REQUIRE(sender->offer(memory));
  REQUIRE(until_closed(consumer, [&] { return sender->write(); }));
  REQUIRE(says(sender->status(), Code::kDataLoss, "its grant was lost"));
}

TEST_CASE("a consumer that grants what it was not asked for") {
  const std::vector<std::byte> from(kPiece, std::byte{1});
  const auto refuse = [&](const std::string& what, const auto& act, bool offered = true) {
    INFO(what);
    Broken bad;
    const auto sender = need(bad.transport->rendezvous()->open_rendezvous_sender(bad.segment, {}));
    if (offered) REQUIRE(sender->offer(from));
    act(bad);
    Transfer transfer = Transfer::kBackPressured;
    REQUIRE(within_patience([&] { return (transfer = sender->write()) != Transfer::kBackPressured; }));
    INFO(sender->status().message());
    REQUIRE(transfer == Transfer::kClosed);
    REQUIRE(says(sender->status(), Code::kDataLoss, what));
  };
  const auto with = [](auto change) {
    return [change](Broken& bad) {
      GrantLine line = bad.good();
      change(line);
      bad.grant(line);
    };
  };
  refuse("0 bytes were granted, expected", with([](GrantLine& line) { line.bytes = 0; }));
  refuse(std::to_string(kPiece - 1) + " bytes were granted", with([](GrantLine& line) { line.bytes -= 1; }));
  refuse("bytes were granted", with([](GrantLine& line) { line.bytes = ~std::uint64_t{0}; }));
  refuse("the grant is of transfer 2", with([](GrantLine& line) { line.number = 2; }));
  refuse("its grant is none, or damaged", with([](GrantLine& line) { line.magic = 0; }));
  refuse("its grant is none, or damaged", with([](GrantLine& line) { line.refused = 2; }));
  refuse("its grant is none, or damaged", [](Broken& bad) { bad.grant(bad.good(), false); });
  refuse("place 2 out of turn", [](Broken& bad) { bad.grant(bad.good(), true, 2); });
  refuse(
      "place 1 out of turn", [](Broken& bad) { bad.grant(bad.good()); }, false);
}

TEST_CASE("a producer that tells of what cannot have landed") {
  for (const std::uint32_t place : {1U, 4U, 257U, ofi::kPlaces - 1}) {
    for (const std::uint32_t sequence : {1U, 2U}) {
      if (place == 1 && sequence == 1) continue;  // it may have landed
      INFO("place " << place << ", transfer " << sequence);
      Broken bad;
      std::vector<std::byte> to(kPiece);
      const auto receiver = need(bad.transport->rendezvous()->open_rendezvous_receiver(bad.segment, {}));
      (void)bad.granted([&] { (void)receiver->land(to); });
      bad.write(std::as_bytes(std::span(to).first(64)), bad.victim.base + ofi::kGrantAt, bad.victim.key, place,
                sequence);
      REQUIRE(within_patience([&] { return receiver->land(to) == Transfer::kClosed; }));
      REQUIRE(says(receiver->status(), Code::kDataLoss, "which was not expected"));
      bad.close();
    }
  }
}

TEST_CASE("memory that lands again is granted by the same key, until it is forgotten") {
  Broken bad;
  std::vector<std::byte> to(64), bytes(64, std::byte{9});
  const auto receiver = need(bad.transport->rendezvous()->open_rendezvous_receiver(bad.segment, {}));
  std::vector<std::uint64_t> keys;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    if (number == 3) receiver->forget(to);
    const GrantLine grant = bad.granted([&] { (void)receiver->land(to); }, number);
    keys.push_back(grant.key);
    bad.write(bytes, grant.address, grant.key, 1, number);
    REQUIRE(within_patience([&] { return receiver->land(to) == Transfer::kOk; }));
  }
  REQUIRE(keys[1] == keys[0]);
  REQUIRE(keys[2] != keys[1]);
  REQUIRE(to == bytes);
}

TEST_CASE("a producer that writes a chunk twice") {
  Broken bad;
  std::vector<std::byte> to(kPiece);
  const auto receiver = need(bad.transport->rendezvous()->open_rendezvous_receiver(bad.segment, {}));
  const GrantLine grant = bad.granted([&] { (void)receiver->land(to); });
  const std::vector<std::byte> bytes(64, std::byte{9});
  bad.write(bytes, grant.address, grant.key, 1, 1);
  REQUIRE(within_patience([&] { return receiver->land(to) == Transfer::kBackPressured && receiver->landed() > 0; }));
  REQUIRE(to.front() == std::byte{9});
  bad.write(bytes, grant.address, grant.key, 1, 1);
  REQUIRE(within_patience([&] { return receiver->land(to) == Transfer::kClosed; }));
  REQUIRE(says(receiver->status(), Code::kDataLoss, "chunk 1 of 3, which was not expected"));
  bad.close();
}

}  // namespace woa::test
