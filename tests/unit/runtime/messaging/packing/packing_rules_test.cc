// Calls that break a rule are refused, say which, and leave the message as it was. Links of another spec.
#include "tests/cts/packing/rig.h"
#include "tests/support/says.h"

namespace woa::cts {
namespace {

bool refused(const Status& status, std::string_view why) { return test::says(status, Code::kInvalid, why); }

constexpr SendMode kSafer = SendMode::kSafer;
constexpr ReceiveMode kCheaper = ReceiveMode::kCheaper;

// Memory of a wire that nobody here knows.
class Elsewhere final : public Replica {
  std::size_t bytes() const noexcept override { return 64; }
  Result<std::unique_ptr<Mapping>> map(Access) override { return {Code::kInternal, "nobody maps it"}; }
  std::string description() const override { return "elsewhere"; }
};

}  // namespace

TEST_CASE("calls outside their place are refused") {
  OpenRig rig;
  REQUIRE(rig.packer->pack({}, kSafer, kCheaper) == Outcome::kRefused);
  REQUIRE(refused(rig.packer->status(), "pack() without a message"));
  REQUIRE(rig.packer->end() == Outcome::kRefused);
  REQUIRE(refused(rig.packer->status(), "end() without a message"));
  REQUIRE(rig.packer->begin() == Outcome::kOk);
  REQUIRE(rig.packer->begin() == Outcome::kRefused);
  REQUIRE(refused(rig.packer->status(), "begin() within a message"));
  REQUIRE(rig.packer->end() == Outcome::kOk);
  REQUIRE(rig.unpacker->unpack({}, kSafer, kCheaper) == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "a piece without a message"));
  REQUIRE(rig.unpacker->end() == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "end() without a message"));
  REQUIRE(rig.unpacker->begin() == Outcome::kOk);
  REQUIRE(rig.unpacker->begin() == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "begin() within a message"));
  REQUIRE(rig.unpacker->end() == Outcome::kOk);
  std::vector<Item> items{item(100, kSafer, kCheaper)};
  exchange(*rig.packer, *rig.unpacker, items);
}

TEST_CASE("a link with another transport's rendezvous is refused") {
  Rig rig;
  rig.ends.packer.rendezvous = rig.ends.unpacker.rendezvous = std::make_shared<Elsewhere>();
  REQUIRE(refused(rig.open_packer().status(), "not of this transport"));
  REQUIRE(refused(rig.open_unpacker().status(), "not of this transport"));
}

TEST_CASE("modes that do not exist are refused") {
  OpenRig rig;
  REQUIRE(rig.packer->begin() == Outcome::kOk);
  for (const int number : {0, 4, 255}) {
    REQUIRE(rig.packer->pack({}, static_cast<SendMode>(number), kCheaper) == Outcome::kRefused);
    REQUIRE(refused(rig.packer->status(), "0 bytes, unknown, cheaper"));
    REQUIRE(rig.packer->pack({}, kSafer, static_cast<ReceiveMode>(number)) == Outcome::kRefused);
  }
  REQUIRE(rig.packer->end() == Outcome::kOk);
  REQUIRE(rig.unpacker->begin() == Outcome::kOk);
  REQUIRE(rig.unpacker->unpack({}, static_cast<SendMode>(9), kCheaper) == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "choose modes that exist"));
  REQUIRE(rig.unpacker->end() == Outcome::kOk);
}

TEST_CASE("between a back-pressured call and its repetition nothing else is done") {
  OpenRig rig;
  const Bytes large = pattern(100'000, 1);
  Bytes to(100'000), other(100'000);
  REQUIRE(rig.packer->begin() == Outcome::kOk);
  REQUIRE(rig.packer->pack(large, kSafer, kCheaper) == Outcome::kBackPressured);
  REQUIRE(rig.packer->pack(other, kSafer, kCheaper) == Outcome::kRefused);
  REQUIRE(refused(rig.packer->status(), "another piece while one of 100000 bytes, safer, cheaper is back-pressured"));
  REQUIRE(rig.packer->pack(large, SendMode::kCheaper, kCheaper) == Outcome::kRefused);
  REQUIRE(rig.packer->end() == Outcome::kRefused);
  REQUIRE(refused(rig.packer->status(), "end() while a piece of 100000 bytes"));
  REQUIRE(rig.unpacker->begin() == Outcome::kOk);
  REQUIRE(rig.unpacker->unpack(to, kSafer, kCheaper) == Outcome::kBackPressured);
  REQUIRE(rig.unpacker->unpack(other, kSafer, kCheaper) == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "another piece while one of 100000 bytes"));
  REQUIRE(rig.unpacker->end() == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "end() while a piece of 100000 bytes"));
  const Bytes late = pattern(90'000, 2);
  Bytes late_to(90'000);
  Script sender, receiver;
  sender.then([&] { return rig.packer->pack(large, kSafer, kCheaper); });
  sender.then([&] { return rig.packer->pack(late, SendMode::kLater, kCheaper); });
  receiver.then([&] { return rig.unpacker->unpack(to, kSafer, kCheaper); });
  receiver.then([&] { return rig.unpacker->unpack(late_to, SendMode::kLater, kCheaper); });
  for (int turns = 0; turns < 1000 && !sender.done(); ++turns) sender.run(), receiver.run();
  REQUIRE(rig.packer->end() == Outcome::kBackPressured);
  REQUIRE(rig.packer->pack({}, kSafer, kCheaper) == Outcome::kRefused);
  REQUIRE(refused(rig.packer->status(), "pack() while end() is back-pressured"));
  REQUIRE((receiver.run(), receiver.done()));
  REQUIRE(rig.unpacker->end() == Outcome::kBackPressured);
  REQUIRE(rig.unpacker->unpack({}, kSafer, kCheaper) == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "a piece while end() is back-pressured"));
  sender.then([&] { return rig.packer->end(); });
  receiver.then([&] { return rig.unpacker->end(); });
  REQUIRE(run_both(sender, receiver));
  REQUIRE(receiver.last() == Outcome::kOk);
  REQUIRE(to == large);
  REQUIRE(late_to == late);
  REQUIRE(other == Bytes(100'000));
}

TEST_CASE("more later pieces than a link remembers are refused at both ends, and the message goes on") {
  LinkSpec spec = link_spec();
  spec.later_pieces = 2;
  for (const ReceiveMode last : {ReceiveMode::kCheaper, ReceiveMode::kExpress}) {
    OpenRig rig(spec);
    std::vector<Item> items{item(5, SendMode::kLater, kCheaper, false, 1), item(6, SendMode::kLater, last, false, 2)};
    Bytes some(7);
    REQUIRE(rig.packer->begin() == Outcome::kOk);
    for (const Item& item : items) REQUIRE(pack(*rig.packer, item) == Outcome::kOk);
    REQUIRE(rig.packer->pack(some, SendMode::kLater, kCheaper) == Outcome::kRefused);
    REQUIRE(refused(rig.packer->status(), "raise the link's later_pieces"));
    REQUIRE(rig.packer->end() == Outcome::kOk);
    REQUIRE(rig.unpacker->begin() == Outcome::kOk);
    for (Item& item : items) REQUIRE(unpack(*rig.unpacker, item) == Outcome::kOk);
    if (last == ReceiveMode::kCheaper) {
      REQUIRE(rig.unpacker->unpack(some, SendMode::kLater, kCheaper) == Outcome::kRefused);
      REQUIRE(refused(rig.unpacker->status(), "raise the link's later_pieces"));
    }
    REQUIRE(rig.unpacker->end() == Outcome::kOk);
    for (const Item& item : items) REQUIRE(item.received == item.sent);
  }
}

TEST_CASE("a view of a piece that no block holds is refused; it can be copied") {
  OpenRig rig;
  const std::size_t bytes = viewable_bytes(rig.spec) + 1;
  std::vector<Item> items{item(bytes, kSafer, kCheaper)};
  std::span<const std::byte> view;
  Script sender, receiver;
  add_message(sender, *rig.packer, items);
  REQUIRE((sender.run(), rig.unpacker->begin()) == Outcome::kOk);
  REQUIRE(rig.unpacker->view(bytes, kSafer, kCheaper, view) == Outcome::kRefused);
  REQUIRE(refused(rig.unpacker->status(), "a view of " + std::to_string(bytes) + " bytes in blocks of"));
  receiver.then([&] { return unpack(*rig.unpacker, items[0]); });
  receiver.then([&] { return rig.unpacker->end(); });
  REQUIRE(run_both(sender, receiver));
  REQUIRE(items[0].received == items[0].sent);
}

TEST_CASE("a spec out of bounds is refused, with the field") {
  const auto transport = make_memory();
  struct Wrong {
    LinkSpec spec;
    const char* field;
  };
  for (const Wrong& wrong : {Wrong{{0, 64, 1}, "blocks is 0"}, Wrong{{65'537, 64, 1}, "blocks is 65537"},
                             Wrong{{1, 0, 1}, "block_bytes is 0"}, Wrong{{1, 100, 1}, "block_bytes is 100"},
                             Wrong{{1, (1U << 30) + 64, 1}, "block_bytes is 1073741888"},
                             Wrong{{1, 64, (1U << 20) + 1}, "later_pieces is 1048577"}}) {
    const Status status = packing::allocate_link(*transport, wrong.spec, "link").status();
    INFO(status.message());
    REQUIRE(refused(status, wrong.field));
  }
}

TEST_CASE("a link of more memory than packets can name says what to lower") {
  const Status status = packing::allocate_link(*make_memory(), {65'536, 1U << 30, 1}, "link").status();
  INFO(status.message());
  REQUIRE(test::says(status, Code::kTooLarge, "lower blocks or block_bytes"));
  REQUIRE_FALSE(test::says(status, Code::kTooLarge, "port"));
}

TEST_CASE("an orderly end after a refusal is no error") {
  OpenRig rig;
  REQUIRE(rig.unpacker->end() == Outcome::kRefused);
  std::vector<Item> items{item(100, kSafer, kCheaper)};
  exchange(*rig.packer, *rig.unpacker, items);
  rig.packer.reset();
  REQUIRE(rig.unpacker->begin() == Outcome::kClosed);
  REQUIRE(rig.unpacker->status().ok());
}

TEST_CASE("a link of another spec is refused by both ends") {
  const Rig rig(LinkSpec{4, 1024, 4});
  for (const LinkSpec& other : {LinkSpec{8, 1024, 4}, LinkSpec{4, 2048, 4}, LinkSpec{8, 512, 4}, LinkSpec{0, 64, 4}}) {
    REQUIRE(Packer::open(rig.sides->producer, other, rig.ends.packer).status().code() == Code::kInvalid);
    REQUIRE(Unpacker::open(rig.sides->consumer, other, rig.ends.unpacker).status().code() == Code::kInvalid);
  }
  REQUIRE(Packer::open(rig.sides->producer, rig.spec, {}).status().code() == Code::kInvalid);
}

TEST_CASE("where memory is shared there is nothing to connect") {
  const Rig rig;
  REQUIRE(rig.ends.packer.description().empty());
}

}  // namespace woa::cts
