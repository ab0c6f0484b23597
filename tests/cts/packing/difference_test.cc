// Two sides that do not name the same pieces: the receiver says what both named, and the link ends.
#include "tests/cts/packing/rig.h"
#include "tests/support/says.h"

namespace woa::cts {
namespace {

using test::says;

// Sends `packed`, unpacks `asked`; returns the receiver's final status.
Status status_of(const std::vector<Item>& packed, std::vector<Item> asked) {
  OpenRig rig;
  Script sender, receiver;
  add_message(sender, *rig.packer, packed);
  receiver.then([&] { return rig.unpacker->begin(); });
  for (Item& item : asked) receiver.then([&] { return unpack(*rig.unpacker, item); });
  receiver.then([&] { return rig.unpacker->end(); });
  REQUIRE(run_both(sender, receiver));
  const Status status = rig.unpacker->status();
  if (!status.ok()) {
    REQUIRE(receiver.last() == Outcome::kClosed);
    // Nothing more is read, and the sender learns it.
    REQUIRE(rig.unpacker->begin() != Outcome::kOk);
    REQUIRE(in_time([&] { return rig.packer->status().code() == Code::kPeerLost; }));
  }
  return status;
}

}  // namespace

TEST_CASE("equal sequences are no difference") {
  const std::vector<Item> items{item(3, SendMode::kSafer, ReceiveMode::kExpress),
                                item(300, SendMode::kLater, ReceiveMode::kCheaper)};
  REQUIRE(status_of(items, items).ok());
}

TEST_CASE("another size or another mode, at every place in the message") {
  const std::vector<Item> packed{
      item(12, SendMode::kSafer, ReceiveMode::kExpress), item(200, SendMode::kLater, ReceiveMode::kCheaper),
      item(30, SendMode::kCheaper, ReceiveMode::kCheaper), item(40, SendMode::kLater, ReceiveMode::kExpress)};
  for (std::size_t at = 0; at < packed.size(); ++at) {
    for (const SendMode send : kSendModes) {
      for (const ReceiveMode receive : kReceiveModes) {
        for (const std::size_t bytes : {std::size_t{0}, packed[at].sent.size() - 1, packed[at].sent.size(),
                                        packed[at].sent.size() + 1, std::size_t{10'000}}) {
          std::vector<Item> asked = packed;
          asked[at] = item(bytes, send, receive);
          const Piece was{packed[at].sent.size(), packed[at].send, packed[at].receive}, is{bytes, send, receive};
          const Status status = status_of(packed, asked);
          INFO(at << ": " << to_string(was) << " against " << to_string(is) << ": " << status.message());
          REQUIRE(status.code() == (was == is ? Code::kOk : Code::kInvalid));
          if (was == is) continue;
          REQUIRE(says(status, "message 0"));
          REQUIRE(says(status, "piece " + std::to_string(at) + " of " + to_string(was) + " came where"));
          REQUIRE(says(status, "piece " + std::to_string(at) + " of " + to_string(is) + " was asked for"));
        }
      }
    }
  }
}

TEST_CASE("pieces that were not packed are asked for") {
  for (const ReceiveMode receive : kReceiveModes) {
    const std::vector<Item> packed{item(12, SendMode::kSafer, receive)};
    std::vector<Item> asked = packed;
    asked.push_back(item(0, SendMode::kSafer, ReceiveMode::kCheaper));
    const Status status = status_of(packed, asked);
    REQUIRE(status.code() == Code::kInvalid);
    REQUIRE(says(status, "it ends where piece 1 of 0 bytes, safer, cheaper was asked for"));
  }
  REQUIRE(says(status_of({}, {item(5, SendMode::kLater, ReceiveMode::kCheaper)}), "it ends where piece 0"));
  // In place of piece 1 come the bytes of piece 0, which are sent later.
  const Item later = item(7, SendMode::kLater, ReceiveMode::kCheaper);
  REQUIRE(says(status_of({later}, {later, item(5, SendMode::kSafer, ReceiveMode::kCheaper)}),
               "piece 0 of 7 bytes, later, cheaper came where piece 1 of 5 bytes, safer, cheaper was asked for"));
}

TEST_CASE("pieces that were packed are not asked for") {
  const Item first = item(12, SendMode::kSafer, ReceiveMode::kCheaper);
  const Item later = item(7, SendMode::kLater, ReceiveMode::kCheaper);
  for (const SendMode send : kSendModes) {
    const Item second = item(500, send, ReceiveMode::kCheaper);
    REQUIRE(says(status_of({first, second}, {first}), "came where its end was asked for"));
    REQUIRE(says(status_of({later, second}, {later}), "piece 1 of 500 bytes, " + std::string(to_string(send)) +
                                                          ", cheaper came where piece 0 of 7 bytes, later, cheaper"));
    REQUIRE(status_of({first, second}, {first}).code() == Code::kInvalid);
  }
}

TEST_CASE("pieces in another order, though of the same sizes and modes in sum") {
  const Item one = item(12, SendMode::kSafer, ReceiveMode::kCheaper), other = item(13, one.send, one.receive);
  REQUIRE(status_of({one, other}, {other, one}).code() == Code::kInvalid);
}

TEST_CASE("what was received before a difference stays") {
  OpenRig rig;
  std::vector<Item> items{item(12, SendMode::kSafer, ReceiveMode::kExpress),
                          item(5, SendMode::kSafer, ReceiveMode::kExpress)};
  Bytes wrong(6);
  Script sender, receiver;
  add_message(sender, *rig.packer, items);
  receiver.then([&] { return rig.unpacker->begin(); });
  receiver.then([&] { return unpack(*rig.unpacker, items[0]); });
  receiver.then([&] { return rig.unpacker->unpack(wrong, SendMode::kSafer, ReceiveMode::kExpress); });
  REQUIRE(run_both(sender, receiver));
  REQUIRE(receiver.last() == Outcome::kClosed);
  REQUIRE(items[0].received == items[0].sent);
  REQUIRE(wrong == Bytes(6));
  REQUIRE(rig.unpacker->end() == Outcome::kClosed);
}

}  // namespace woa::cts
