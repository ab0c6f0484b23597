// Large pieces between hosts: which of them go by rendezvous, that nobody copies those, and what happens if memory
// cannot be registered.
#include <sys/mman.h>

#include "runtime/transport/ofi/ofi_transport.h"
#include "runtime/transport/rendezvous.h"
#include "tests/cts/packing/rig.h"
#include "tests/support/says.h"

namespace woa::cts {
namespace {

constexpr std::uint64_t kChunk = kTransferChunkBytes;
// Tests that look into a transfer under way try again: on a fast wire a single call completes it.
constexpr std::uint64_t kTries = 50;

LinkSpec direct_spec(std::uint64_t rendezvous_bytes = 4096) {
  return {.blocks = 4, .block_bytes = 1024, .later_pieces = 8, .rendezvous_bytes = rendezvous_bytes};
}

std::uint64_t bytes_in(const std::vector<Item>& items) {
  std::uint64_t bytes = 0;
  for (const Item& item : items) bytes += item.sent.size();
  return bytes;
}

// Both sides' transports, which may register little at once.
std::shared_ptr<Link> sides_of(const OfiOptions& producer, const OfiOptions& consumer) {
  return std::make_shared<Link>(need(make_ofi_transport(producer)), need(make_ofi_transport(consumer)));
}

// Memory that the system takes back, and maps again at the same addresses with other pages.
class MappedAnew {
 public:
  explicit MappedAnew(std::size_t bytes) : bytes_(bytes), at_(map(nullptr, 0)) {}
  ~MappedAnew() { munmap(at_, bytes_); }
  MappedAnew(const MappedAnew&) = delete;
  MappedAnew& operator=(const MappedAnew&) = delete;
  // In one step, so that nobody else's memory comes between.
  std::span<std::byte> anew() {
    REQUIRE(map(at_, MAP_FIXED) == at_);
    return {static_cast<std::byte*>(at_), bytes_};
  }

 private:
  [[nodiscard]] void* map(void* at, int flags) const {
    void* const mapped = mmap(at, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    return mapped;
  }
  std::size_t bytes_;
  void* at_;
};

}  // namespace

TEST_CASE("large pieces go by rendezvous: neither side's processor copies a byte of them") {
  for (const SendMode send : {SendMode::kCheaper, SendMode::kLater}) {
    for (const ReceiveMode receive : kReceiveModes) {
      OpenRig rig(direct_spec());
      for (const std::uint64_t bytes : {std::uint64_t{4096}, kChunk - 1, kChunk, kChunk + 1, 9 * kChunk + 5}) {
        INFO(packing::to_string({bytes, send, receive}));
        std::vector<Item> items{item(bytes, send, receive, false, bytes)};
        for (int times = 0; times < 2; ++times) exchange(*rig.packer, *rig.unpacker, items);
      }
      REQUIRE(rig.packer->traffic().payload_bytes == rig.unpacker->traffic().payload_bytes);
      REQUIRE(rig.packer->traffic().copied_bytes == 0);
      REQUIRE(rig.unpacker->traffic().copied_bytes == 0);
    }
  }
}

TEST_CASE("a piece of several transfers, and one from memory that begins anywhere") {
  OpenRig rig(direct_spec());
  Bytes sent = pattern(kMostTransferBytes + 3 * kChunk + 7, 3), received(sent.size() + 5);
  Script sender, receiver;
  sender.then([&] { return rig.packer->begin(); });
  receiver.then([&] { return rig.unpacker->begin(); });
  std::size_t at = 0;
  for (const std::size_t bytes : {std::size_t{4097}, std::size_t{5000}, sent.size() - 9097}) {
    sender.then([&, at, bytes] {
      return rig.packer->pack(std::span(sent).subspan(at, bytes), SendMode::kCheaper, ReceiveMode::kCheaper);
    });
    receiver.then([&, at, bytes] {
      return rig.unpacker->unpack(std::span(received).subspan(5 + at, bytes), SendMode::kCheaper,
                                  ReceiveMode::kCheaper);
    });
    at += bytes;
  }
  sender.then([&] { return rig.packer->end(); });
  receiver.then([&] { return rig.unpacker->end(); });
  REQUIRE(run_both(sender, receiver));
  INFO(rig.packer->status().message() << rig.unpacker->status().message());
  REQUIRE(receiver.last() == Outcome::kOk);
  REQUIRE(same(std::span(received).subspan(5), sent));
  REQUIRE(std::all_of(received.begin(), received.begin() + 5, [](std::byte byte) { return byte == std::byte{0}; }));
  REQUIRE(rig.unpacker->traffic().copied_bytes == 0);
}

TEST_CASE("what is safer, smaller, or held by a block goes through blocks, and so does everything if that is chosen") {
  std::vector<Item> items{item(100'000, SendMode::kSafer, ReceiveMode::kCheaper, false, 1),
                          item(4095, SendMode::kCheaper, ReceiveMode::kCheaper, false, 2)};
  OpenRig rig(direct_spec());
  exchange(*rig.packer, *rig.unpacker, items);
  REQUIRE(rig.packer->traffic().copied_bytes == bytes_in(items));
  OpenRig never(direct_spec(packing::kNoRendezvous));
  items.push_back(item(100'000, SendMode::kCheaper, ReceiveMode::kCheaper, false, 3));
  exchange(*never.packer, *never.unpacker, items);
  REQUIRE(never.packer->traffic().copied_bytes == bytes_in(items));
  OpenRig always(direct_spec(1));
  std::vector<Item> viewed{item(viewable_bytes(always.spec), SendMode::kCheaper, ReceiveMode::kCheaper, true, 4)};
  exchange(*always.packer, *always.unpacker, viewed);
  REQUIRE(always.packer->traffic().copied_bytes == bytes_in(viewed));
}

TEST_CASE("the receiver may read the first chunks while the others are on their way") {
  OpenRig rig(direct_spec());
  bool read_within = false, right = true;
  for (std::uint64_t number = 0; number < kTries && !read_within; ++number) {
    std::vector<Item> items{item(40 * kChunk, SendMode::kCheaper, ReceiveMode::kExpress, false, number)};
    const Item& large = items.front();
    std::uint64_t arrived = 0;
    Script sender, receiver;
    add_message(sender, *rig.packer, items);
    add_message(receiver, *rig.unpacker, items);
    REQUIRE(in_time([&] {
      sender.run();
      receiver.run();
      const std::uint64_t now = receiver.done() ? 0 : rig.unpacker->arrived();
      if (now == 0) return receiver.done();
      right = right && now >= arrived && now % kChunk == 0;
      const std::uint64_t more = right ? now - arrived : 0;
      right =
          right && same(std::span(large.received).subspan(arrived, more), std::span(large.sent).subspan(arrived, more));
      arrived = now;
      read_within = read_within || now < large.sent.size();
      return false;
    }));
    REQUIRE(run_both(sender, receiver));
    REQUIRE((sender.last() == Outcome::kOk && receiver.last() == Outcome::kOk));
  }
  REQUIRE(right);
  REQUIRE(read_within);
}

TEST_CASE("what cannot be registered, here or there, goes through blocks") {
  OfiOptions little;
  little.registered_bytes = 10'000;
  for (const auto& sides : {sides_of(little, {}), sides_of({}, little), sides_of(little, little)}) {
    OpenRig rig(direct_spec(), sides);
    std::vector<Item> items{item(50'000, SendMode::kCheaper, ReceiveMode::kExpress, false, 1),
                            item(9'000, SendMode::kCheaper, ReceiveMode::kCheaper, false, 2),
                            item(50'000, SendMode::kLater, ReceiveMode::kCheaper, false, 3)};
    for (int times = 0; times < 3; ++times) exchange(*rig.packer, *rig.unpacker, items);
    REQUIRE(rig.packer->traffic().copied_bytes == 3 * 100'000);
    REQUIRE(rig.unpacker->traffic().copied_bytes == 3 * 100'000);
  }
}

TEST_CASE("a link that ended while a piece was under way takes no other one up") {
  Bytes large = pattern(8 * kChunk, 1), other = pattern(20'000, 2);
  for (const bool sender_goes : {true, false}) {
    OpenRig rig(direct_spec());
    REQUIRE(rig.packer->begin() == Outcome::kOk);
    const auto unpack_to = [&](Bytes& to) {
      return rig.unpacker->unpack(to, SendMode::kCheaper, ReceiveMode::kCheaper);
    };
    const auto pack_from = [&](const Bytes& from) {
      return rig.packer->pack(from, SendMode::kCheaper, ReceiveMode::kCheaper);
    };
    REQUIRE(pack_from(large) == Outcome::kBackPressured);
    REQUIRE(in_time([&] { return rig.unpacker->begin() == Outcome::kOk; }));
    Bytes landing(large.size());
    REQUIRE(unpack_to(landing) == Outcome::kBackPressured);
    if (sender_goes) {
      rig.packer.reset();
      REQUIRE(in_time([&] { return unpack_to(landing) == Outcome::kClosed; }));
      REQUIRE(rig.unpacker->status().code() == Code::kPeerLost);
      REQUIRE(unpack_to(other) == Outcome::kClosed);
      REQUIRE(rig.unpacker->end() == Outcome::kClosed);
    } else {
      rig.unpacker.reset();
      REQUIRE(in_time([&] { return pack_from(large) == Outcome::kClosed; }));
      REQUIRE(rig.packer->status().code() == Code::kPeerLost);
      REQUIRE(pack_from(other) == Outcome::kClosed);
      REQUIRE(rig.packer->end() == Outcome::kClosed);
    }
  }
}

TEST_CASE("a receiver that goes within a piece's second transfer: no call behind it takes up where that one stood") {
  const Bytes large = pattern(kMostTransferBytes + 40 * kChunk, 1), small = pattern(100, 2);
  Bytes landing(large.size()), small_landing(small.size());
  for (const bool packs_more : {true, false}) {
    OpenRig rig(direct_spec());
    const auto pack_large = [&] { return rig.packer->pack(large, SendMode::kCheaper, ReceiveMode::kExpress); };
    bool within = false;
    for (std::uint64_t number = 0; number < kTries && !within; ++number) {
      Script sender, receiver;
      sender.then([&] { return rig.packer->begin(); })
          .then([&] { return rig.packer->pack(small, SendMode::kLater, ReceiveMode::kCheaper); })
          .then(pack_large);
      receiver.then([&] { return rig.unpacker->begin(); })
          .then([&] { return rig.unpacker->unpack(small_landing, SendMode::kLater, ReceiveMode::kCheaper); })
          .then([&] { return rig.unpacker->unpack(landing, SendMode::kCheaper, ReceiveMode::kExpress); });
      REQUIRE(in_time([&] {
        sender.run();
        receiver.run();
        within = !sender.done() && !receiver.done() && rig.unpacker->arrived() > kMostTransferBytes;
        return within || sender.done();
      }));
      if (within) continue;
      REQUIRE(sender.last() == Outcome::kOk);
      sender.then([&] { return rig.packer->end(); });
      receiver.then([&] { return rig.unpacker->end(); });
      REQUIRE(run_both(sender, receiver));
      REQUIRE((sender.last() == Outcome::kOk && receiver.last() == Outcome::kOk));
    }
    REQUIRE(within);
    rig.unpacker.reset();
    REQUIRE(in_time([&] { return pack_large() == Outcome::kClosed; }));
    REQUIRE(rig.packer->status().code() == Code::kPeerLost);
    if (packs_more) REQUIRE(rig.packer->pack(small, SendMode::kSafer, ReceiveMode::kCheaper) == Outcome::kClosed);
    REQUIRE(rig.packer->end() == Outcome::kClosed);  // a later piece is still to be read
    REQUIRE(rig.packer->begin() == Outcome::kClosed);
  }
}

TEST_CASE("a receiver that grants something else and closes at once is at fault, not lost") {
  const Rig rig(direct_spec());
  const auto packer = need(rig.open_packer());
  auto checked = need(packing::check_link(rig.sides->consumer, rig.spec, rig.ends.unpacker));
  auto receiver =
      need(rig.sides->consumer.open_receiver(checked.channel, rig.ends.unpacker.channel, {}, checked.regions));
  auto direct =
      need(rig.sides->consumer.wire()->rendezvous()->open_rendezvous_receiver(rig.ends.unpacker.rendezvous, {}));
  const Bytes large = pattern(8 * kChunk, 1);
  const auto pack_large = [&] { return packer->pack(large, SendMode::kCheaper, ReceiveMode::kCheaper); };
  REQUIRE(packer->begin() == Outcome::kOk);
  REQUIRE(pack_large() == Outcome::kBackPressured);
  rig.sides->settle();
  Bytes little(100);
  REQUIRE(direct->land(little) == Transfer::kBackPressured);
  direct.reset();
  receiver.reset();
  rig.sides->settle();
  REQUIRE(in_time([&] { return pack_large() == Outcome::kClosed; }));
  REQUIRE(test::says(packer->status(), Code::kDataLoss, "100 bytes were granted"));
}

TEST_CASE("a link without the rendezvous that its transport has is refused") {
  Rig rig;
  rig.ends.packer.rendezvous = rig.ends.unpacker.rendezvous = nullptr;
  REQUIRE(test::says(rig.open_packer().status(), Code::kInvalid, "not of this transport"));
  REQUIRE(test::says(rig.open_unpacker().status(), Code::kInvalid, "not of this transport"));
}

// A registration that is kept must not serve other memory that is mapped at the same addresses later.
TEST_CASE("memory that is given back and mapped anew at the same addresses between two messages") {
  constexpr std::size_t kBytes = 3 * kChunk;
  OpenRig rig(direct_spec());
  MappedAnew from(kBytes), to(kBytes);
  for (std::uint64_t number = 0; number < 40; ++number) {
    INFO("message " << number);
    const auto sent = from.anew(), received = to.anew();
    const Bytes expected = pattern(kBytes, number);
    std::copy(expected.begin(), expected.end(), sent.begin());
    Script sender, receiver;
    sender.then([&] { return rig.packer->begin(); })
        .then([&] { return rig.packer->pack(sent, SendMode::kCheaper, ReceiveMode::kCheaper); })
        .then([&] { return rig.packer->end(); });
    receiver.then([&] { return rig.unpacker->begin(); })
        .then([&] { return rig.unpacker->unpack(received, SendMode::kCheaper, ReceiveMode::kCheaper); })
        .then([&] { return rig.unpacker->end(); });
    REQUIRE(run_both(sender, receiver));
    REQUIRE((sender.last() == Outcome::kOk && receiver.last() == Outcome::kOk));
    REQUIRE(same(received, expected));
  }
  REQUIRE(rig.packer->traffic().copied_bytes == 0);
  REQUIRE(rig.unpacker->traffic().copied_bytes == 0);
}

}  // namespace woa::cts
