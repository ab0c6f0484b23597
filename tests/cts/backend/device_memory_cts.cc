// Requirements on back-ends that keep payloads in their device and order their firings; others say that they do not.
#include <array>
#include <deque>

#include "tests/cts/backend/rig.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

constexpr std::uint16_t kFirst = 3, kSecond = 5;  // regions
constexpr std::uint32_t kBlocks = 2;

Status allocate(Rig& rig) {
  const std::array regions{DeviceRegion{kFirst, kBlocks, kMaxBytes}, DeviceRegion{kSecond, kBlocks, kMaxBytes}};
  return rig.backend().allocate(regions);
}

bool keeps_payloads(const Rig& rig) { return rig.row().controller.traits.keeps_payloads(); }

// data -> invert -> kFirst -> copy -> kSecond -> invert -> result. `copied`: host memory gets the first result, too.
struct Chain {
  Chain(Rig& rig, const std::vector<std::uint8_t>& data, std::uint32_t number, bool copied = false)
      : first(rig, kInvert, data, number), second(rig, kCopy, data, number), third(rig, kInvert, data, number) {
    const MemoryKind kind = rig.row().controller.traits.memory;
    first.write_in_device(kind, kFirst, number % kBlocks, copied);
    second.read_in_device(kind, kFirst, number % kBlocks);
    second.write_in_device(kind, kSecond, number % kBlocks);
    third.read_in_device(kind, kSecond, number % kBlocks);
  }
  std::array<TestFiring*, 3> all() { return {&first, &second, &third}; }
  TestFiring first, second, third;
};

TEST_CASE("memory in the device is allocated where the traits say so, and refused elsewhere") {
  Rig rig;
  rig.load(true);
  CHECK(allocate(rig).code() == (keeps_payloads(rig) ? Code::kOk : Code::kUnsupported));
}

TEST_CASE("a firing finds what those before it have yet to write") {
  Rig rig;
  rig.load(true);
  if (!keeps_payloads(rig)) return;
  REQUIRE(allocate(rig).ok());
  std::deque<Chain> chains;
  const auto wait_for = [&](std::size_t number) {
    for (TestFiring* firing : chains[number].all()) rig.wait_for(*firing);
  };
  for (std::uint32_t i = 0; i < 40; ++i) {
    if (i >= kBlocks) wait_for(i - kBlocks);  // it gives its blocks back
    const std::size_t bytes = i % 4 == 0 ? kMaxBytes / 4 : 1000 * i + 1;
    for (TestFiring* firing : chains.emplace_back(rig, pattern(bytes, i), i).all())
      REQUIRE(rig.start(*firing) == Start::kOrdered);
    for (TestFiring* firing : chains.back().all()) {  // final, whatever has run
      REQUIRE(firing->output.written == 1);
      REQUIRE(firing->output.bytes == bytes);
    }
  }
  for (std::size_t i = chains.size() - kBlocks; i < chains.size(); ++i) wait_for(i);
  for (std::uint32_t i = 0; i < chains.size(); ++i) {
    Chain& chain = chains[i];
    for (TestFiring* firing : chain.all()) REQUIRE(firing->code == Code::kOk);
    const auto data = pattern(chain.first.input.bytes, i);
    CHECK((std::ranges::equal(chain.third.result(), data)));
    CHECK(chain.first.memory[0].copied_bytes == data.size());
    CHECK(chain.third.memory[1].copied_bytes == data.size());
    CHECK(chain.first.memory[1].copied_bytes + chain.second.memory[0].copied_bytes +
              chain.second.memory[1].copied_bytes + chain.third.memory[0].copied_bytes ==
          0);
  }
}

TEST_CASE("a block that nobody read is written again in the order of the firings") {
  Rig rig;
  rig.load(true);
  if (!keeps_payloads(rig)) return;
  REQUIRE(allocate(rig).ok());
  for (std::uint32_t round = 0; round < 20; ++round) {
    const auto large = pattern(kMaxBytes / 4, round), small = pattern(100, round + 1);
    Chain unread(rig, large, 0), read(rig, small, 0);
    rig.start(unread.first);
    for (TestFiring* firing : read.all()) rig.start(*firing);
    rig.wait_for(unread.first);
    for (TestFiring* firing : read.all()) rig.wait_for(*firing);
    REQUIRE((std::ranges::equal(read.third.result(), small)));
  }
}

TEST_CASE("what others read, too, is copied once into host memory and stays in the device") {
  Rig rig;
  rig.load(true);
  if (!keeps_payloads(rig)) return;
  REQUIRE(allocate(rig).ok());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{kMaxBytes}}) {
    const auto data = pattern(bytes, 7);
    Chain chain(rig, data, 0, true);
    for (TestFiring* firing : chain.all()) REQUIRE(rig.start(*firing) == Start::kOrdered);
    for (TestFiring* firing : chain.all()) rig.wait_for(*firing);
    CHECK((std::ranges::equal(chain.first.result(), rig.expected(kInvert, data))));
    CHECK((std::ranges::equal(chain.third.result(), data)));
    CHECK(chain.first.memory[1].copied_bytes == bytes);
    CHECK(chain.second.memory[0].copied_bytes == 0);
  }
}

TEST_CASE("what cannot run fails its own firing, not the device") {
  Rig rig;
  rig.load(true);
  if (!keeps_payloads(rig)) return;
  REQUIRE(allocate(rig).ok());
  const auto data = pattern(kNarrowBytes + 1, 1);
  TestFiring firing(rig, kNarrow, data, 0);
  firing.write_in_device(rig.row().controller.traits.memory, kFirst, 0);
  REQUIRE(rig.start(firing) != Start::kOrdered);
  rig.wait_for(firing);
  CHECK(firing.code == Code::kTooLarge);
  Chain chain(rig, data, 1);
  for (TestFiring* next : chain.all()) rig.start(*next);
  for (TestFiring* next : chain.all()) rig.wait_for(*next);
  CHECK((std::ranges::equal(chain.third.result(), data)));
}

TEST_CASE("a backend may go while ordered firings run") {
  const auto data = pattern(kMaxBytes / 8, 11);  // a device that is interpreted takes long for more
  for (std::uint32_t round = 0; round < 5; ++round) {
    Rig rig;
    rig.load(true);
    if (!keeps_payloads(rig)) return;
    REQUIRE(allocate(rig).ok());
    Chain chain(rig, data, 0);
    for (TestFiring* firing : chain.all()) rig.start(*firing);
    rig.destroy_backend();
  }
}

}  // namespace
}  // namespace woa::test
