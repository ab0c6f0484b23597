// Messages of every length, one after another: through many blocks, with none at all, and with views that keep blocks.
#include "tests/cts/packing/rig.h"

namespace woa::cts {

TEST_CASE("a message without pieces, and pieces without bytes") {
  OpenRig rig;
  for (int times = 0; times < 20; ++times) {
    std::vector<Item> none;
    exchange(*rig.packer, *rig.unpacker, none);
    std::vector<Item> empty;
    for (const SendMode send : {SendMode::kSafer, SendMode::kCheaper, SendMode::kLater})
      for (const ReceiveMode receive : {ReceiveMode::kCheaper, ReceiveMode::kExpress})
        empty.push_back(item(0, send, receive));
    exchange(*rig.packer, *rig.unpacker, empty);
  }
  REQUIRE(rig.packer->traffic().messages == 40);
  REQUIRE(rig.unpacker->traffic().messages == 40);
  REQUIRE(rig.unpacker->traffic().payload_bytes == 0);
}

TEST_CASE("a message many times larger than all blocks") {
  OpenRig rig;
  const std::size_t all = std::size_t{rig.spec.blocks} * rig.spec.block_bytes;
  std::vector<Item> items{item(5 * all + 3, SendMode::kSafer, ReceiveMode::kCheaper, false, 1),
                          item(1, SendMode::kSafer, ReceiveMode::kExpress, false, 2),
                          item(3 * all, SendMode::kLater, ReceiveMode::kCheaper, false, 3),
                          item(4 * all + 1, SendMode::kCheaper, ReceiveMode::kExpress, false, 4)};
  for (int times = 0; times < 3; ++times) exchange(*rig.packer, *rig.unpacker, items);
}

TEST_CASE("the receiver has the first part of a piece while the sender packs the last") {
  OpenRig rig;
  const std::size_t all = std::size_t{rig.spec.blocks} * rig.spec.block_bytes;
  Item large = item(3 * all, SendMode::kSafer, ReceiveMode::kCheaper);
  REQUIRE(rig.packer->begin() == Outcome::kOk);
  REQUIRE(pack(*rig.packer, large) == Outcome::kBackPressured);
  REQUIRE(in_time([&] { return rig.unpacker->begin() == Outcome::kOk; }));
  REQUIRE(unpack(*rig.unpacker, large) == Outcome::kBackPressured);
  REQUIRE(same(std::span(large.received).first(32), std::span(large.sent).first(32)));
  REQUIRE(rig.unpacker->traffic().copied_bytes > 0);
  REQUIRE(rig.packer->traffic().payload_bytes == 0);
}

TEST_CASE("many pieces of a byte") {
  OpenRig rig;
  std::vector<Item> items;
  for (std::uint64_t k = 0; k < 2000; ++k)
    items.push_back(item(1, k % 2 == 0 ? SendMode::kSafer : SendMode::kCheaper,
                         k % 7 == 0 ? ReceiveMode::kExpress : ReceiveMode::kCheaper, false, k));
  exchange(*rig.packer, *rig.unpacker, items);
}

TEST_CASE("a sender that is ahead by some messages") {
  OpenRig rig;
  std::vector<std::vector<Item>> messages(12);
  Script sender, receiver;
  for (std::size_t k = 0; k < messages.size(); ++k) {
    messages[k] = {item(k, SendMode::kSafer, ReceiveMode::kCheaper, false, k),
                   item(2 * k, SendMode::kLater, ReceiveMode::kCheaper, false, k + 100)};
    add_message(sender, *rig.packer, messages[k]);
    add_message(receiver, *rig.unpacker, messages[k]);
  }
  sender.run();
  REQUIRE(run_both(sender, receiver));
  REQUIRE(sender.last() == Outcome::kOk);
  REQUIRE(receiver.last() == Outcome::kOk);
}

TEST_CASE("views of a message stay until the next one begins") {
  OpenRig rig;
  if (rig.spec.blocks < 2) return;  // one block: the rest of a message needs it
  const std::size_t bytes = viewable_bytes(rig.spec);
  std::vector<Item> viewed, other{item(20, SendMode::kSafer, ReceiveMode::kCheaper, false, 50)};
  for (std::uint64_t k = 0; k + 1 < rig.spec.blocks; ++k)
    viewed.push_back(item(bytes, k % 2 == 0 ? SendMode::kSafer : SendMode::kLater, ReceiveMode::kCheaper, true, k));
  for (int times = 0; times < 5; ++times) {
    exchange(*rig.packer, *rig.unpacker, viewed);
    // The sender goes on as long as it finds blocks that are not viewed.
    Script ahead, behind;
    add_message(ahead, *rig.packer, other);
    add_message(behind, *rig.unpacker, other);
    ahead.run();
    for (const Item& item : viewed) {
      REQUIRE(same(item.view, item.sent));
      REQUIRE(reinterpret_cast<std::uintptr_t>(item.view.data()) % 16 == 0);
    }
    REQUIRE(run_both(ahead, behind));
    REQUIRE(behind.last() == Outcome::kOk);
  }
}

TEST_CASE(
    "a view that would leave no block for the rest is refused; the piece can be copied, and the message goes on") {
  for (const SendMode send : {SendMode::kSafer, SendMode::kLater}) {
    INFO(packing::to_string(send));
    OpenRig rig;
    const std::size_t bytes = viewable_bytes(rig.spec);
    std::vector<Item> items;
    for (std::uint64_t k = 0; k + 1 < rig.spec.blocks; ++k)
      items.push_back(item(bytes, SendMode::kSafer, ReceiveMode::kCheaper, true, k));
    items.push_back(item(bytes, send, ReceiveMode::kCheaper, false, 90));
    items.push_back(item(5 * std::size_t{rig.spec.block_bytes}, SendMode::kCheaper, ReceiveMode::kCheaper, false, 91));
    const std::size_t too_many = rig.spec.blocks - 1;
    bool refused = false;
    Script sender, receiver;
    add_message(sender, *rig.packer, items);
    receiver.then([&] { return rig.unpacker->begin(); });
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (k == too_many)
        receiver.then([&] {
          std::span<const std::byte> view;
          const Outcome outcome = rig.unpacker->view(bytes, send, ReceiveMode::kCheaper, view);
          refused = outcome == Outcome::kRefused && rig.unpacker->status().code() == Code::kExhausted;
          return refused ? Outcome::kOk : outcome;
        });
      receiver.then([&, k] { return unpack(*rig.unpacker, items[k]); });
    }
    receiver.then([&] { return rig.unpacker->end(); });
    REQUIRE(run_both(sender, receiver));
    INFO(rig.unpacker->status().message());
    REQUIRE(receiver.last() == Outcome::kOk);
    REQUIRE(refused);
    for (const Item& item : items) REQUIRE(same(item.result(), item.sent));
  }
}

}  // namespace woa::cts
