// Random messages against the plain concatenation of their pieces.
#include <rapidcheck.h>

#include "tests/cts/packing/rig.h"

namespace woa::cts {
namespace {

LinkSpec random_spec() {
  return {*rc::gen::inRange<std::uint32_t>(1, 6), *rc::gen::element<std::uint32_t>(64, 128, 192, 1024), 40,
          *rc::gen::element<std::uint64_t>(1, 200, packing::kNoRendezvous)};
}

// A size around the smallest, the largest view, a block or all blocks; or any small one.
std::size_t random_size(const LinkSpec& spec) {
  const auto around = [](std::size_t middle) {
    return *rc::gen::inRange<std::size_t>(middle < 2 ? 0 : middle - 2, middle + 3);
  };
  switch (*rc::gen::inRange(0, 5)) {
    case 0: return around(0);
    case 1: return around(viewable_bytes(spec));
    case 2: return around(spec.block_bytes);
    case 3: return around(std::size_t{spec.blocks} * spec.block_bytes);
    default: return *rc::gen::inRange<std::size_t>(0, 400);
  }
}

// Pieces that a sender may pack and a receiver may view, whatever else the message has.
std::vector<Item> random_items(const LinkSpec& spec, std::size_t most) {
  std::vector<Item> items;
  bool behind_all = false;
  const auto count = *rc::gen::inRange<std::size_t>(0, most);
  std::size_t views = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const SendMode send =
        behind_all ? *rc::gen::element(SendMode::kLater, SendMode::kCheaper) : *rc::gen::elementOf(kSendModes);
    // Rare, since it restricts the pieces behind it.
    const bool express = send == SendMode::kLater ? *rc::gen::inRange(0, 8) == 0 : *rc::gen::arbitrary<bool>();
    behind_all |= send == SendMode::kLater && express;
    const std::size_t bytes = random_size(spec);
    const bool by_view = bytes <= viewable_bytes(spec) && views + 1 < spec.blocks && *rc::gen::arbitrary<bool>();
    views += by_view ? 1 : 0;
    items.push_back(item(bytes, send, express ? ReceiveMode::kExpress : ReceiveMode::kCheaper, by_view, k + 1));
  }
  return items;
}

// The sender's memory, changed as its modes allow: a *later* piece does not hold its bytes at pack(), a *safer* one
// loses them after it.
struct Sending {
  explicit Sending(const std::vector<Item>& items) {
    for (const Item& item : items) {
      Item mine = item;
      if (mine.send == SendMode::kLater) mine.sent.assign(item.sent.size(), std::byte{0});
      pieces.push_back(std::move(mine));
    }
  }
  void add_to(Script& script, Packer& packer, const std::vector<Item>& items) {
    script.then([&packer] { return packer.begin(); });
    for (Item& piece : pieces) {
      script.then([&packer, &piece] {
        const Outcome outcome = pack(packer, piece);
        if (outcome == Outcome::kOk && piece.send == SendMode::kSafer)
          piece.sent.assign(piece.sent.size(), std::byte{0xee});
        return outcome;
      });
    }
    script.then([&packer, &items, this] {
      for (std::size_t k = 0; k < pieces.size(); ++k)
        if (pieces[k].send == SendMode::kLater)
          std::copy(items[k].sent.begin(), items[k].sent.end(), pieces[k].sent.begin());
      return packer.end();
    });
  }
  std::vector<Item> pieces;
};

template <class Of>
Bytes concatenation(const std::vector<Item>& items, Of&& of) {
  Bytes all;
  for (const Item& item : items) {
    const std::span<const std::byte> piece = of(item);
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

bool goes_direct(const Rig& rig, const Item& item) {
  return rig.ends.packer.rendezvous != nullptr && item.send != SendMode::kSafer &&
         item.sent.size() >= rig.spec.rendezvous_bytes && item.sent.size() > viewable_bytes(rig.spec);
}

void require(bool holds) { RC_ASSERT(holds); }

}  // namespace

TEST_CASE("messages are the concatenation of their pieces, in any sizes, modes and links") {
  REQUIRE(rc::check([] {
    const LinkSpec spec = random_spec();
    OpenRig rig(spec);
    std::uint64_t bytes_by_rendezvous = 0;
    for (int messages = *rc::gen::inRange(1, 4); messages > 0; --messages) {
      std::vector<Item> items = random_items(spec, 24);
      for (const Item& item : items) bytes_by_rendezvous += goes_direct(rig, item) ? item.sent.size() : 0;
      Sending sending(items);
      Script sender, receiver;
      sending.add_to(sender, *rig.packer, items);
      add_message(receiver, *rig.unpacker, items);
      const bool ended = run_both(sender, receiver);
      RC_LOG() << rig.packer->status().message() << "\n" << rig.unpacker->status().message() << "\n";
      require(ended);
      require(sender.last() == Outcome::kOk);
      require(receiver.last() == Outcome::kOk);
      require(concatenation(items, [](const Item& item) { return std::span<const std::byte>(item.sent); }) ==
              concatenation(items, [](const Item& item) { return item.result(); }));
      require(rig.packer->traffic().payload_bytes - rig.packer->traffic().copied_bytes == bytes_by_rendezvous);
    }
  }));
}

// One piece is left out, added, or has another size or mode on one side.
TEST_CASE("any difference between the two sides is found") {
  REQUIRE(rc::check([] {
    const LinkSpec spec = random_spec();
    OpenRig rig(spec);
    std::vector<Item> packed = random_items(spec, 12);
    for (Item& item : packed) item = cts::item(item.sent.size(), item.send, item.receive);
    std::vector<Item> asked = packed;
    const auto at = *rc::gen::inRange<std::size_t>(0, packed.size() + 1);
    const auto place = asked.begin() + static_cast<std::ptrdiff_t>(at);
    const Item other = item(random_size(spec), SendMode::kCheaper, *rc::gen::elementOf(kReceiveModes));
    if (at == packed.size() || *rc::gen::arbitrary<bool>()) {
      asked.insert(place, other);
    } else if (*rc::gen::arbitrary<bool>()) {
      asked.erase(place);
    } else {
      RC_PRE(other.sent.size() != place->sent.size());
      *place = other;
    }
    const auto names = [](const std::vector<Item>& items) {
      std::vector<Piece> pieces;
      for (const Item& item : items) pieces.push_back({item.sent.size(), item.send, item.receive});
      return pieces;
    };
    RC_PRE(names(packed) != names(asked));
    Script sender, receiver;
    add_message(sender, *rig.packer, packed);
    receiver.then([&] { return rig.unpacker->begin(); });
    for (Item& item : asked) receiver.then([&] { return unpack(*rig.unpacker, item); });
    receiver.then([&] { return rig.unpacker->end(); });
    require(run_both(sender, receiver));
    RC_LOG() << rig.unpacker->status().message() << "\n";
    require(receiver.last() == Outcome::kClosed);
    require(rig.unpacker->status().code() == Code::kInvalid);
  }));
}

}  // namespace woa::cts
