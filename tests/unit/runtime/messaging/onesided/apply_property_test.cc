// An owner applies, of a bucket of any bytes, the updates that keep the rules, up to the first that does not, and
// writes nothing anywhere else.
#include <cstring>
#include <random>

#include "runtime/messaging/onesided/apply.h"
#include "runtime/messaging/onesided/link.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/messaging/onesided/guarded_transport.h"

namespace woa::onesided {
namespace {

constexpr std::size_t kBytes = 4096;
constexpr std::uint32_t kSlots = 16;

struct Owner {
  explicit Owner(Sharing sharing)
      : region(test::need(Region::make(transport, "region", kBytes, sharing))),
        channel(test::need(
            transport.allocate("returns", test::need(ring_channel_bytes(returns_channel_of(transport, kSlots)))))),
        returns(test::need(Returns::open(transport, kSlots, channel, {}))),
        before(region.bytes().data() - 4096, region.bytes().data()) {
    // Values that no update made.
    for (std::size_t k = 0; k < kBytes; ++k) region.bytes()[k] = static_cast<std::byte>(k * 37);
  }
  [[nodiscard]] bool header_is_whole() const {
    return std::memcmp(region.bytes().data() - 4096, before.data(), before.size()) == 0;
  }

  test::GuardedTransport transport;
  Region region;
  std::shared_ptr<SharedSegment> channel;
  Returns returns;
  std::vector<std::byte> before;  // the region's header
};

// Random units: mostly near to what is valid, so that every rule is met often.
Unit random_unit(std::mt19937_64& random) {
  if (random() % 8 == 0) return {random(), random()};
  const std::uint64_t operation = random() % 16 == 0 ? random() % 256 : 1 + random() % 7;
  const std::uint64_t width = random() % 16 == 0 ? random() % 256 : 4 + random() % 2 * 4;
  std::uint64_t offset = random() % (kBytes / 8) * 8;
  if (random() % 16 == 0) offset = kBytes - 16 + random() % 32;
  if (random() % 32 == 0) offset = random() % kMaxRegionBytes;
  return {operation << 56 | width << 48 | offset, random() % 4 == 0 ? 0 : random()};
}

// Counts the updates at the start of the bucket that keep the rules, and applies them to `model`.
std::size_t expected_updates(std::span<const Unit> units, std::span<std::byte> model) {
  std::size_t updates = 0;
  for (std::size_t k = 0; k < units.size(); ++updates) {
    Update update = update_of(units[k].place, units[k].operand);
    const std::uint64_t width = units[k].place >> 48 & 0xff, operation = units[k].place >> 56;
    if (operation < 1 || operation > 7 || (width != 4 && width != 8)) break;
    if (update.offset % width != 0 || update.offset + width > kBytes) break;
    const bool pair = update.operation == Operation::kCompareSwap;
    if (pair && (k + 1 == units.size() || units[k + 1].operand != 0)) break;
    if (pair) update.expected = units[k + 1].place;
    k += pair ? 2 : 1;
    if (width == 4) {
      auto& element = *reinterpret_cast<std::uint32_t*>(model.data() + update.offset);
      element = changed(update.operation, element, static_cast<std::uint32_t>(update.operand),
                        static_cast<std::uint32_t>(update.expected));
    } else {
      auto& element = *reinterpret_cast<std::uint64_t*>(model.data() + update.offset);
      element = changed(update.operation, element, update.operand, update.expected);
    }
  }
  return updates;
}

void check_random_buckets(Sharing sharing) {
  Owner owner(sharing);
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Unit> units(random() % 20);
    for (Unit& unit : units) unit = random_unit(random);
    std::vector<std::byte> model(owner.region.bytes().begin(), owner.region.bytes().end());
    const std::size_t expected = expected_updates(units, model);
    const Applied result = apply(units, owner.region, owner.returns);
    INFO("seed " << seed);
    REQUIRE(result.updates == expected);
    REQUIRE(std::memcmp(owner.region.bytes().data(), model.data(), kBytes) == 0);
    REQUIRE(owner.header_is_whole());
    if (result.refusal == Refusal::kNone) continue;
    REQUIRE_FALSE(describe(result.refused, result.refusal, kBytes).empty());
  }
}

}  // namespace

TEST_CASE("a bucket of any bytes changes an exclusive region as its valid updates do") {
  check_random_buckets(Sharing::kExclusive);
}

TEST_CASE("a bucket of any bytes changes a coherent region as its valid updates do") {
  check_random_buckets(Sharing::kCoherent);
}

TEST_CASE("a run of one kind ends at the first unit that is not of it") {
  for (const Sharing sharing : {Sharing::kExclusive, Sharing::kCoherent}) {
    Owner owner(sharing);
    std::fill(owner.region.bytes().begin(), owner.region.bytes().end(), std::byte{0});
    const auto unit = [](const Update& update) { return Unit{place_of(update), update.operand}; };
    const std::array units{unit(accumulate<std::uint64_t>(Operation::kSum, 0, 1)),
                           unit(accumulate<std::uint64_t>(Operation::kSum, kBytes - 8, 2)),
                           unit(accumulate<std::uint32_t>(Operation::kSum, 8, 3)),
                           unit(accumulate<std::uint32_t>(Operation::kXor, kBytes - 4, 4)),
                           unit(accumulate<std::uint64_t>(Operation::kSum, 0, 5)),
                           unit(accumulate<std::uint64_t>(Operation::kSum, kBytes, 6)),
                           unit(accumulate<std::uint64_t>(Operation::kSum, 0, 7))};
    const Applied result = apply(units, owner.region, owner.returns);
    REQUIRE(result.updates == 5);
    REQUIRE(result.refusal == Refusal::kOutside);
    REQUIRE(result.refused.offset == kBytes);
    REQUIRE(owner.region.load<std::uint64_t>(0) == 6);
    REQUIRE(owner.region.load<std::uint32_t>(8) == 3);
    REQUIRE(owner.region.load<std::uint64_t>(kBytes - 8) == (2 | std::uint64_t{4} << 32));
  }
}

}  // namespace woa::onesided
