// Packing copies once and does not allocate.
#include "tests/cts/packing/rig.h"
#include "tests/support/alloc_counter.h"

namespace woa::cts {
namespace {

// A message of each mode, some of it in many blocks; nothing is allocated here. Calls are made by turns.
struct Exchange {
  Exchange(Packer& message_packer, Unpacker& message_unpacker, std::vector<Item>& message_items)
      : packer(message_packer), unpacker(message_unpacker), items(message_items) {}

  bool send() {
    if (sent == 0 && packer.begin() == Outcome::kOk) ++sent;
    while (sent >= 1 && sent <= items.size() && pack(packer, items[sent - 1]) == Outcome::kOk) ++sent;
    if (sent == items.size() + 1 && packer.end() == Outcome::kOk) ++sent;
    return sent == items.size() + 2;
  }
  bool receive() {
    if (received == 0 && unpacker.begin() == Outcome::kOk) ++received;
    while (received >= 1 && received <= items.size() && unpack(unpacker, items[received - 1]) == Outcome::kOk)
      ++received;
    if (received == items.size() + 1 && unpacker.end() == Outcome::kOk) ++received;
    return received == items.size() + 2;
  }
  // False if it does not end.
  bool run() {
    for (int turns = 0; turns < 100'000; ++turns)
      if (const bool all_sent = send(), all_received = receive(); all_sent && all_received) return true;
    return false;
  }

  Packer& packer;
  Unpacker& unpacker;
  std::vector<Item>& items;
  std::size_t sent = 0, received = 0;
};

std::vector<Item> every_mode(const LinkSpec& spec) {
  std::vector<Item> items;
  for (const SendMode send : {SendMode::kSafer, SendMode::kCheaper, SendMode::kLater})
    for (const ReceiveMode receive : {ReceiveMode::kCheaper, ReceiveMode::kExpress})
      items.push_back(item(send == SendMode::kSafer ? 3 * spec.block_bytes : 30, send, receive));
  return items;
}

std::uint64_t bytes_in(const std::vector<Item>& items) {
  std::uint64_t bytes = 0;
  for (const Item& item : items) bytes += item.sent.size();
  return bytes;
}

}  // namespace

TEST_CASE("nothing is allocated once a link is open") {
  OpenRig rig;
  std::vector<Item> items = every_mode(rig.spec);
  bool well = true;
  const std::uint64_t before = test::allocations();
  for (int messages = 0; messages < 300; ++messages) well &= Exchange(*rig.packer, *rig.unpacker, items).run();
  const std::uint64_t after = test::allocations();
  INFO(rig.unpacker->status().message());
  REQUIRE(well);
  REQUIRE(rig.unpacker->traffic().messages == 300);
  REQUIRE(after == before);
}

TEST_CASE("nor for large pieces, once their memory was used") {
  OpenRig rig;
  const std::size_t bytes = 3 * std::size_t{rig.spec.block_bytes};
  std::vector<Item> items{item(bytes, SendMode::kCheaper, ReceiveMode::kCheaper, false, 1),
                          item(bytes, SendMode::kCheaper, ReceiveMode::kExpress, false, 2),
                          item(bytes, SendMode::kLater, ReceiveMode::kCheaper, false, 3)};
  bool well = Exchange(*rig.packer, *rig.unpacker, items).run();
  const std::uint64_t before = test::allocations();
  for (int messages = 0; messages < 100; ++messages) well &= Exchange(*rig.packer, *rig.unpacker, items).run();
  const std::uint64_t after = test::allocations();
  INFO(rig.unpacker->status().message());
  REQUIRE(well);
  REQUIRE(after == before);
}

TEST_CASE("the sender copies each byte once, into a block; the receiver copies what it does not view") {
  OpenRig rig;
  std::vector<Item> items = every_mode(rig.spec);
  exchange(*rig.packer, *rig.unpacker, items);
  const Traffic sent = rig.packer->traffic();
  REQUIRE(sent.payload_bytes == bytes_in(items));
  REQUIRE(sent.copied_bytes - sent.payload_bytes == 0);
  REQUIRE(rig.unpacker->traffic().payload_bytes == bytes_in(items));
  REQUIRE(rig.unpacker->traffic().copied_bytes == bytes_in(items));
  std::vector<Item> viewed{item(viewable_bytes(rig.spec), SendMode::kSafer, ReceiveMode::kCheaper, true)};
  exchange(*rig.packer, *rig.unpacker, viewed);
  REQUIRE(rig.packer->traffic().copied_bytes == bytes_in(items) + bytes_in(viewed));
  REQUIRE(rig.unpacker->traffic().copied_bytes == bytes_in(items));
}

TEST_CASE("pieces share packets: a message takes as many as it has blocks, and one for each express piece") {
  OpenRig rig;
  std::vector<Item> small{item(10, SendMode::kSafer, ReceiveMode::kCheaper)};
  exchange(*rig.packer, *rig.unpacker, small);
  REQUIRE(rig.packer->traffic().packets == 1);
  small.front().receive = ReceiveMode::kExpress;
  exchange(*rig.packer, *rig.unpacker, small);
  REQUIRE(rig.packer->traffic().packets == 3);
  REQUIRE(rig.unpacker->traffic().packets == 3);
  const std::size_t blocks = 5;
  std::vector<Item> large{item(blocks * viewable_bytes(rig.spec), SendMode::kSafer, ReceiveMode::kCheaper)};
  exchange(*rig.packer, *rig.unpacker, large);
  REQUIRE(rig.packer->traffic().packets == 3 + blocks);
}

}  // namespace woa::cts
