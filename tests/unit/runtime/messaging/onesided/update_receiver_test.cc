// An origin that breaks the rules: its link ends, with the place in the owner's status, and the region holds what came
// before.
#include "runtime/messaging/onesided/update_receiver.h"

#include <cstring>
#include <random>

#include "runtime/messaging/onesided/link.h"
#include "tests/support/catch.h"
#include "tests/support/says.h"
#include "tests/unit/runtime/messaging/onesided/guarded_transport.h"

namespace woa::onesided {
namespace {

constexpr std::size_t kBytes = 4096;
constexpr LinkSpec kSpec{.ring_slots = 8, .buckets = 2, .bucket_units = 4, .result_slots = 2};

// An owner, and an origin that writes what it likes.
struct Wild {
  explicit Wild(const LinkSpec& link_spec = kSpec)
      : spec(link_spec),
        region(test::need(Region::make(transport, "region", kBytes, Sharing::kExclusive))),
        link(test::need(allocate_link(transport, spec, "link"))),
        receiver(test::need(UpdateReceiver::open(transport, spec, link, region))),
        sender(test::need(AnyTransport(transport).open_sender(channel_of(transport, spec), link.channel, {}))) {
    if (link.blocks != nullptr) buckets = test::need(link.blocks->map(Access::kReadWrite));
  }
  void send(const ActivationPacket& packet) {
    REQUIRE(sender->reserve() == Push::kOk);
    sender->commit(packet);
  }
  void write(std::size_t bucket, std::span<const Unit> units) {
    std::memcpy(buckets->bytes().data() + bucket * bucket_bytes(spec), units.data(), units.size_bytes());
  }
  // Requires that the owner refused: it says `what`, counts it, and takes nothing more; the origin sees the channel
  // closed.
  void require_refused(const std::string& what) {
    receiver->poll(100);
    INFO(receiver->status().message());
    REQUIRE(receiver->status().code() == Code::kDataLoss);
    REQUIRE(receiver->status().message().find(what) != std::string::npos);
    REQUIRE(receiver->status().message().find("the link is closed") != std::string::npos);
    REQUIRE(receiver->refused() == 1);
    REQUIRE_FALSE(receiver->closed());
    REQUIRE(receiver->poll(100) == 0);
    REQUIRE(is_closed(*sender));
  }

  test::GuardedTransport transport;
  LinkSpec spec;
  Region region;
  Link link;
  std::unique_ptr<UpdateReceiver> receiver;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Mapping> buckets;
};

ActivationPacket bucket_of(std::uint64_t bytes, std::uint64_t at = 0) {
  ActivationPacket packet = packet_to(kBucketPort);
  packet.payload_bytes = bytes;
  packet.offset = static_cast<std::uint32_t>(at / kOffsetUnitBytes);
  return packet;
}

ActivationPacket single(const Update& update) {
  ActivationPacket packet = packet_to(kUpdatePort);
  packet.payload_bytes = static_cast<std::uint64_t>(update.width);
  packet.instance = place_of(update);
  packet.tag = update.operand;
  packet.deadline = update.expected;
  return packet;
}

Unit unit(const Update& update) { return {place_of(update), update.operand}; }

}  // namespace

TEST_CASE("one update in a header breaks a rule") {
  struct Wrong {
    Update update;
    const char* says;
  };
  const std::array wrongs{
      Wrong{{static_cast<Operation>(0), Width::k64, 0, 1, 0}, "no such operation"},
      Wrong{{static_cast<Operation>(8), Width::k64, 0, 1, 0}, "no such operation"},
      Wrong{{Operation::kSum, static_cast<Width>(1), 0, 1, 0}, "4 or 8 bytes"},
      Wrong{{Operation::kSum, Width::k64, 4, 1, 0}, "multiple of the element's bytes"},
      Wrong{{Operation::kSum, Width::k64, kBytes, 1, 0}, "outside the region"},
      Wrong{{Operation::kCompareSwap, Width::k32, kBytes, 1, 0}, "outside the region"},
      Wrong{{Operation::kPut, Width::k64, kMaxRegionBytes - 8, 1, 0}, "outside the region"},
  };
  for (const Wrong& wrong : wrongs) {
    Wild wild;
    wild.send(single(put<std::uint64_t>(8, 42)));
    wild.send(single(wrong.update));
    wild.send(single(put<std::uint64_t>(16, 43)));
    wild.require_refused(wrong.says);
    REQUIRE(wild.receiver->status().message().find("packet 2 refused") != std::string::npos);
    REQUIRE(wild.receiver->applied() == 1);
    REQUIRE(wild.region.load<std::uint64_t>(8) == 42);
    REQUIRE(wild.region.load<std::uint64_t>(16) == 0);
  }
}

TEST_CASE("the packet that is refused is named, whatever comes behind it") {
  ActivationPacket short_one = single(put<std::uint64_t>(8, 42)), foreign = short_one;
  short_one.payload_bytes = 4;
  foreign.port = 77;
  for (const ActivationPacket& next : {single(put<std::uint64_t>(8, 42)), bucket_of(16, 0), short_one, foreign}) {
    Wild wild;
    wild.send(single(put<std::uint64_t>(16, 43)));
    wild.send(single(put<std::uint64_t>(kBytes, 1)));
    wild.send(next);
    wild.require_refused("packet 2 refused: update 1 in it");
    REQUIRE(wild.receiver->applied() == 1);
  }
}

TEST_CASE("an update whose payload is not its element") {
  Wild wild;
  ActivationPacket packet = single(put<std::uint64_t>(8, 42));
  packet.payload_bytes = 4;
  wild.send(packet);
  wild.require_refused("an update of 4 bytes to an element of 8");
  REQUIRE(wild.region.load<std::uint64_t>(8) == 0);
}

TEST_CASE("a bucket that is not where buckets are") {
  const std::uint64_t all = kSpec.buckets * bucket_bytes(kSpec);
  for (const auto& [bytes, at] : {std::pair{all + 16, std::uint64_t{0}},
                                  {all, std::uint64_t{64}},
                                  {std::uint64_t{16}, all},
                                  {std::uint64_t{1} << 30, std::uint64_t{0}},
                                  {std::uint64_t{16}, std::uint64_t{0xffffffff} * 64},
                                  {kMaxPayloadBytes, std::uint64_t{64}}}) {
    Wild wild;
    wild.send(bucket_of(bytes, at));
    wild.require_refused("are no bucket; there are 2 of 64 bytes");
  }
}

TEST_CASE("a bucket of part of a unit") {
  for (const std::uint64_t bytes : {1, 8, 15, 17, 24, 63}) {
    Wild wild;
    wild.write(0, std::array{unit(put<std::uint64_t>(0, 42))});
    wild.send(bucket_of(bytes));
    wild.require_refused("a bucket of " + std::to_string(bytes) + " bytes; expected a multiple of 16");
    REQUIRE(wild.region.load<std::uint64_t>(0) == 0);
  }
}

TEST_CASE("a bucket where the link has none") {
  Wild wild({.ring_slots = 8, .buckets = 0, .bucket_units = 4, .result_slots = 2});
  wild.send(bucket_of(16));
  wild.require_refused("are no bucket; there are 0 of 64 bytes");
}

TEST_CASE("a bucket with a wrong update: what stands before it is done, it and the rest are not") {
  struct Wrong {
    Unit unit;
    const char* says;
  };
  const std::uint64_t sum = kind_of(Operation::kSum, Width::k64);
  const std::array wrongs{
      Wrong{{0, 0}, "no such operation"},
      Wrong{{~std::uint64_t{0}, 1}, "no such operation"},
      Wrong{{kind_of(Operation::kSum, static_cast<Width>(9)), 1}, "4 or 8 bytes"},
      Wrong{{sum + 12, 1}, "multiple of the element's bytes"},
      Wrong{{sum + kBytes, 1}, "outside the region"},
      Wrong{{kind_of(Operation::kCompareSwap, Width::k64), 1}, "a reserved word is not 0"},
  };
  for (const Wrong& wrong : wrongs) {
    Wild wild;
    wild.write(1, std::array{unit(put<std::uint64_t>(0, 42)), wrong.unit, unit(put<std::uint64_t>(8, 43))});
    wild.send(bucket_of(48, bucket_bytes(kSpec)));
    wild.require_refused(wrong.says);
    REQUIRE(wild.receiver->status().message().find("update 2 in it") != std::string::npos);
    REQUIRE(wild.receiver->applied() == 1);
    REQUIRE(wild.region.load<std::uint64_t>(0) == 42);
    REQUIRE(wild.region.load<std::uint64_t>(8) == 0);
  }
}

TEST_CASE("a compare_swap that ends with its bucket") {
  Wild wild;
  wild.write(0, std::array{unit(compare_swap<std::uint64_t>(0, 0, 42)), Unit{0, 0}});
  wild.send(bucket_of(16));
  wild.require_refused("ends before its expected value");
  REQUIRE(wild.region.load<std::uint64_t>(0) == 0);
}

TEST_CASE("packets of other kinds") {
  const auto with = [](auto change) {
    ActivationPacket packet = single(put<std::uint64_t>(8, 42));
    change(packet);
    return packet;
  };
  const auto kind = [](PacketKind number) {
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(number);
    return packet;
  };
  for (const ActivationPacket& packet :
       {with([](auto& p) { p.port = 0; }), with([](auto& p) { p.port = 3; }), with([](auto& p) { p.region = 1; }),
        with([](auto& p) { p.device = static_cast<std::uint8_t>(MemoryKind::kCuda); }), kind(PacketKind::kRetire),
        kind(PacketKind::kEnd), kind(PacketKind::kCredit)}) {
    Wild wild;
    wild.send(packet);
    wild.require_refused("neither an update nor a bucket");
  }
}

TEST_CASE("more fetches than the link has results for are the origin's loss alone") {
  Wild wild;
  for (std::uint64_t k = 0; k < 7; ++k) wild.send(single(fetch_add<std::uint64_t>(0, 1)));
  REQUIRE(wild.receiver->poll(100) == 7);
  REQUIRE(wild.receiver->status().ok());
  REQUIRE(wild.region.load<std::uint64_t>(0) == 7);
}

// Any header, any bucket: the owner's memory outside the region's elements stays as it is, and the guard page behind
// region and buckets is not touched.
TEST_CASE("random packets end a link or do what they say") {
  std::uint64_t refused = 0, applied = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Wild wild;
    const std::vector<std::byte> header(wild.region.bytes().data() - 4096, wild.region.bytes().data());
    for (std::byte& byte : wild.buckets->bytes()) byte = static_cast<std::byte>(random());
    wild.write(0, std::array{unit(put<std::uint64_t>(random() % 600 * 8, seed)),
                             unit(put<std::uint32_t>(random() % 5000, 1))});
    for (int k = 0; k < 6 && !is_closed(*wild.sender); ++k) {
      ActivationPacket packet =
          random() % 2 == 0
              ? bucket_of(random() % 5 == 0 ? 1 + random() % 300 : 16 * (1 + random() % 2), random() % 2 * 64)
              : single({static_cast<Operation>(random() % 9), static_cast<Width>(random() % 3 * 4),
                        random() % (kBytes + 64), random(), random()});
      if (random() % 10 == 0) packet.port = static_cast<std::uint16_t>(random() % 4);
      wild.send(packet);
      wild.receiver->poll(100);
    }
    REQUIRE(std::memcmp(wild.region.bytes().data() - 4096, header.data(), header.size()) == 0);
    REQUIRE(wild.receiver->status().ok() == (wild.receiver->refused() == 0));
    refused += wild.receiver->refused();
    applied += wild.receiver->applied();
  }
  REQUIRE(refused > 1000);
  REQUIRE(applied > 500);
}

TEST_CASE("a link of another spec is refused") {
  test::GuardedTransport transport;
  const Region region = test::need(Region::make(transport, "region", kBytes, Sharing::kExclusive));
  const Link link = test::need(allocate_link(transport, kSpec, "link"));
  for (const LinkSpec& other : {LinkSpec{8, 4, 4, 2}, LinkSpec{8, 2, 8, 2}, LinkSpec{8, 2, 4, 4}, LinkSpec{16, 2, 4, 2},
                                LinkSpec{8, 0, 4, 2}}) {
    const Status status = UpdateReceiver::open(transport, other, link, region).status();
    INFO(status.message());
    REQUIRE(status.code() == Code::kInvalid);
  }
}

TEST_CASE("a spec out of bounds is refused, with the field") {
  test::GuardedTransport transport;
  struct Wrong {
    LinkSpec spec;
    const char* field;
  };
  for (const Wrong& wrong : {Wrong{{3, 2, 4, 2}, "ring_slots"}, Wrong{{8, 65537, 4, 2}, "buckets"},
                             Wrong{{8, 2, 1, 2}, "bucket_units"}, Wrong{{8, 2, (1U << 20) + 1, 2}, "bucket_units"},
                             Wrong{{8, 2, 4, 0}, "result_slots"}, Wrong{{8, 2, 4, 3}, "result_slots"}}) {
    const Status status = allocate_link(transport, wrong.spec, "link").status();
    INFO(status.message());
    REQUIRE(status.code() == Code::kInvalid);
    REQUIRE(status.message().find(wrong.field) != std::string::npos);
  }
}

TEST_CASE("a link of more memory than packets can name says what to lower") {
  test::GuardedTransport transport;
  const Status status = allocate_link(transport, {8, 65536, 1U << 20, 2}, "link").status();
  INFO(status.message());
  REQUIRE(test::says(status, Code::kTooLarge, "lower buckets or bucket_units"));
  REQUIRE_FALSE(test::says(status, Code::kTooLarge, "port"));
}

}  // namespace woa::onesided
