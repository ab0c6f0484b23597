// The promises of each mode of the sender and of the receiver, alone and with each of the other side.
#include "tests/cts/packing/rig.h"
#include "tests/support/says.h"

namespace woa::cts {
namespace {

std::string name_of(SendMode send, ReceiveMode receive) { return packing::to_string({0, send, receive}); }

// Overwrites the same memory.
void write(Bytes& to, const Bytes& bytes) { std::copy(bytes.begin(), bytes.end(), to.begin()); }

// True if one block suffices to view a message of this piece alone: the piece comes with the last packet.
bool comes_last(SendMode send, ReceiveMode receive) {
  return (send == SendMode::kLater) == (receive == ReceiveMode::kExpress);
}

}  // namespace

TEST_CASE("a piece arrives in every combination of modes, copied or viewed, alone and between others") {
  const LinkSpec spec = link_spec();
  const std::size_t viewable = viewable_bytes(spec);
  for (const SendMode send : kSendModes) {
    for (const ReceiveMode receive : kReceiveModes) {
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, viewable - 1, viewable, viewable + 1,
                                      std::size_t{spec.block_bytes}, 3 * viewable, std::size_t{20'000}}) {
        INFO(name_of(send, receive) << " " << bytes);
        OpenRig rig;
        std::vector<Item> alone{item(bytes, send, receive)};
        exchange(*rig.packer, *rig.unpacker, alone);
        // *Safer* may not follow *later* and *express*, so the pieces behind the tested one may follow any mode.
        std::vector<Item> between{item(9, SendMode::kSafer, ReceiveMode::kExpress, false, 2),
                                  item(bytes, send, receive, false, 3),
                                  item(17, SendMode::kCheaper, ReceiveMode::kExpress, false, 4),
                                  item(0, SendMode::kLater, ReceiveMode::kCheaper, false, 5),
                                  item(33, SendMode::kCheaper, ReceiveMode::kCheaper, false, 6)};
        exchange(*rig.packer, *rig.unpacker, between);
        if (bytes > viewable || (spec.blocks == 1 && !comes_last(send, receive))) continue;
        std::vector<Item> viewed{item(bytes, send, receive, true, 7)};
        if (spec.blocks > 1) viewed.push_back(item(20'000, SendMode::kCheaper, ReceiveMode::kCheaper, false, 8));
        exchange(*rig.packer, *rig.unpacker, viewed);
      }
    }
  }
}

TEST_CASE("every combination of modes beside every other one in one message") {
  OpenRig rig;
  for (const SendMode first_send : kSendModes)
    for (const ReceiveMode first_receive : kReceiveModes)
      for (const SendMode send : kSendModes)
        for (const ReceiveMode receive : kReceiveModes) {
          if (first_send == SendMode::kLater && first_receive == ReceiveMode::kExpress && send == SendMode::kSafer)
            continue;  // refused: see below
          INFO(name_of(first_send, first_receive) << "; " << name_of(send, receive));
          std::vector<Item> items{item(40, first_send, first_receive, false, 1), item(100, send, receive, false, 2),
                                  item(8, SendMode::kCheaper, ReceiveMode::kCheaper, false, 3)};
          exchange(*rig.packer, *rig.unpacker, items);
        }
}

TEST_CASE("safer: what is written after pack() is not sent") {
  for (const ReceiveMode receive : kReceiveModes) {
    INFO(packing::to_string(receive));
    OpenRig rig;
    Bytes sent = pattern(40, 1), received(40);
    const Bytes before = sent;
    REQUIRE(rig.packer->begin() == Outcome::kOk);
    REQUIRE(rig.packer->pack(sent, SendMode::kSafer, receive) == Outcome::kOk);
    write(sent, pattern(40, 2));
    Script sender, receiver;
    sender.then([&] { return rig.packer->end(); });
    receiver.then([&] { return rig.unpacker->begin(); });
    receiver.then([&] { return rig.unpacker->unpack(received, SendMode::kSafer, receive); });
    receiver.then([&] { return rig.unpacker->end(); });
    REQUIRE(run_both(sender, receiver));
    REQUIRE(receiver.last() == Outcome::kOk);
    REQUIRE(received == before);
  }
}

TEST_CASE("safer: a piece of many blocks may be overwritten when pack() returned") {
  OpenRig rig;
  Bytes sent = pattern(50'000, 1), received(50'000);
  const Bytes before = sent;
  Script sender, receiver;
  sender.then([&] { return rig.packer->begin(); });
  sender.then([&] { return rig.packer->pack(sent, SendMode::kSafer, ReceiveMode::kCheaper); });
  sender.then([&] { return write(sent, pattern(50'000, 2)), rig.packer->end(); });
  receiver.then([&] { return rig.unpacker->begin(); });
  receiver.then([&] { return rig.unpacker->unpack(received, SendMode::kSafer, ReceiveMode::kCheaper); });
  receiver.then([&] { return rig.unpacker->end(); });
  REQUIRE(run_both(sender, receiver));
  REQUIRE(receiver.last() == Outcome::kOk);
  REQUIRE(received == before);
}

TEST_CASE("later: what is written between pack() and end() is sent, and nothing is sent before") {
  for (const ReceiveMode receive : kReceiveModes) {
    for (const std::size_t bytes : {std::size_t{40}, std::size_t{5000}}) {
      INFO(packing::to_string(receive) << " " << bytes);
      OpenRig rig;
      Bytes sent = pattern(bytes, 1), received(bytes);
      bool ended = false;
      Script sender, receiver;
      sender.then([&] { return rig.packer->begin(); });
      sender.then([&] { return rig.packer->pack(sent, SendMode::kLater, receive); });
      sender.then([&] { return rig.packer->pack({}, SendMode::kCheaper, ReceiveMode::kCheaper); });
      receiver.then([&] { return rig.unpacker->begin(); });
      receiver.then([&] {
        const Outcome outcome = rig.unpacker->unpack(received, SendMode::kLater, receive);
        return outcome == Outcome::kOk && receive == ReceiveMode::kExpress && !ended ? Outcome::kRefused : outcome;
      });
      receiver.then([&] { return rig.unpacker->unpack({}, SendMode::kCheaper, ReceiveMode::kCheaper); });
      receiver.then([&] { return rig.unpacker->end(); });
      for (int turns = 0; turns < 100; ++turns) sender.run(), receiver.run();
      REQUIRE(sender.done());
      REQUIRE_FALSE(receiver.done());
      REQUIRE(received == Bytes(bytes));
      write(sent, pattern(bytes, 2));
      sender.then([&] { return ended = true, rig.packer->end(); });
      REQUIRE(run_both(sender, receiver));
      REQUIRE(receiver.last() == Outcome::kOk);
      REQUIRE(received == pattern(bytes, 2));
    }
  }
}

TEST_CASE("express: usable at once, while the rest of the message is not there yet") {
  for (const SendMode send : {SendMode::kSafer, SendMode::kCheaper}) {
    for (const bool by_view : {false, true}) {
      OpenRig rig;
      if (by_view && rig.spec.blocks == 1) continue;  // the rest of the message needs the block
      INFO(packing::to_string(send) << (by_view ? " view" : ""));
      std::vector<Item> items{item(5, SendMode::kCheaper, ReceiveMode::kCheaper, false, 1),
                              item(24, send, ReceiveMode::kExpress, by_view, 2)};
      Item rest = item(16, SendMode::kSafer, ReceiveMode::kCheaper);
      Script sender, receiver;
      sender.then([&] { return rig.packer->begin(); });
      receiver.then([&] { return rig.unpacker->begin(); });
      for (Item& some : items) {
        sender.then([&] { return pack(*rig.packer, some); });
        receiver.then([&] { return unpack(*rig.unpacker, some); });
      }
      REQUIRE(run_both(sender, receiver));
      REQUIRE(receiver.last() == Outcome::kOk);
      REQUIRE(same(items[1].result(), items[1].sent));
      receiver.then([&] { return unpack(*rig.unpacker, rest); });
      receiver.then([&] { return rig.unpacker->end(); });
      for (int turns = 0; turns < 100; ++turns) receiver.run();
      REQUIRE_FALSE(receiver.done());
      sender.then([&] { return pack(*rig.packer, rest); });
      sender.then([&] { return rig.packer->end(); });
      REQUIRE(run_both(sender, receiver));
      REQUIRE(receiver.last() == Outcome::kOk);
      REQUIRE(rest.received == rest.sent);
      REQUIRE(same(items[1].result(), items[1].sent));
    }
  }
}

TEST_CASE("express pieces tell how the rest is laid out") {
  OpenRig rig;
  std::uint64_t count = 7, bytes = 300, count_found = 0, bytes_found = 0, unpacked = 0;
  const Bytes rows = pattern(count * bytes, 9);
  std::vector<Bytes> found;
  Script sender, receiver;
  sender.then([&] { return rig.packer->begin(); });
  sender.then([&] { return rig.packer->pack(bytes_of(count), SendMode::kSafer, ReceiveMode::kExpress); });
  sender.then([&] { return count = 0, rig.packer->pack(bytes_of(bytes), SendMode::kSafer, ReceiveMode::kExpress); });
  for (std::size_t k = 0; k < 7; ++k)
    sender.then([&, k] {
      return rig.packer->pack(std::span(rows).subspan(k * 300, 300), SendMode::kCheaper, ReceiveMode::kCheaper);
    });
  sender.then([&] { return rig.packer->end(); });
  receiver.then([&] { return rig.unpacker->begin(); });
  receiver.then([&] { return rig.unpacker->unpack(bytes_of(count_found), SendMode::kSafer, ReceiveMode::kExpress); });
  receiver.then([&] { return rig.unpacker->unpack(bytes_of(bytes_found), SendMode::kSafer, ReceiveMode::kExpress); });
  receiver.then([&] {
    found.resize(count_found, Bytes(bytes_found));
    for (; unpacked < count_found; ++unpacked) {
      const Outcome outcome = rig.unpacker->unpack(found[unpacked], SendMode::kCheaper, ReceiveMode::kCheaper);
      if (outcome != Outcome::kOk) return outcome;
    }
    return rig.unpacker->end();
  });
  REQUIRE(run_both(sender, receiver));
  REQUIRE(receiver.last() == Outcome::kOk);
  REQUIRE(found.size() == 7);
  for (std::size_t k = 0; k < 7; ++k) REQUIRE(same(found[k], std::span(rows).subspan(k * 300, 300)));
}

TEST_CASE("behind a piece that is later and express: cheaper waits with it, safer is refused and the message goes on") {
  OpenRig rig;
  Bytes answer = pattern(10, 1), rest = pattern(30, 2), answer_found(10), rest_found(30);
  Script sender, receiver;
  sender.then([&] { return rig.packer->begin(); });
  sender.then([&] { return rig.packer->pack(answer, SendMode::kLater, ReceiveMode::kExpress); });
  REQUIRE((sender.run(), sender.done()));
  REQUIRE(rig.packer->pack(rest, SendMode::kSafer, ReceiveMode::kCheaper) == Outcome::kRefused);
  REQUIRE(rig.packer->status().code() == Code::kInvalid);
  REQUIRE(test::says(rig.packer->status(), "piece 1: refused: a safer piece behind"));
  sender.then([&] { return rig.packer->pack(rest, SendMode::kCheaper, ReceiveMode::kCheaper); });
  sender.then([&] { return write(answer, pattern(10, 3)), rig.packer->end(); });
  receiver.then([&] { return rig.unpacker->begin(); });
  receiver.then([&] { return rig.unpacker->unpack(answer_found, SendMode::kLater, ReceiveMode::kExpress); });
  receiver.then([&] {
    const Outcome refused = rig.unpacker->unpack(rest_found, SendMode::kSafer, ReceiveMode::kCheaper);
    return refused == Outcome::kRefused ? Outcome::kOk : Outcome::kRefused;
  });
  receiver.then([&] { return rig.unpacker->unpack(rest_found, SendMode::kCheaper, ReceiveMode::kCheaper); });
  receiver.then([&] { return rig.unpacker->end(); });
  REQUIRE(run_both(sender, receiver));
  REQUIRE(receiver.last() == Outcome::kOk);
  REQUIRE(answer_found == pattern(10, 3));
  REQUIRE(rest_found == rest);
}

}  // namespace woa::cts
