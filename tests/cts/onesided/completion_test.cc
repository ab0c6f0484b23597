// Order, completion, fetched values, back-pressure, and the end of a link.
#include "tests/cts/onesided/rig.h"

namespace woa::cts {
namespace {

constexpr std::size_t kBytes = 4096;

// Adds one to each element in turn.
Update increment(std::uint64_t k) {
  return onesided::accumulate<std::uint64_t>(Operation::kSum, k % (kBytes / 8) * 8, 1);
}

std::uint64_t total(const Region& region) {
  std::uint64_t sum = 0;
  for (std::uint64_t at = 0; at < kBytes; at += 8) sum += region.load<std::uint64_t>(at);
  return sum;
}

}  // namespace

TEST_CASE("updates of one origin to one element are done in the order of issue") {
  Rig rig(kBytes);
  const auto updater = need(rig.open());
  std::uint64_t expected = 0, taken = 0;
  for (std::uint64_t k = 0; k < 500; ++k) {
    REQUIRE(rig.issue(*updater, onesided::accumulate<std::uint64_t>(Operation::kMax, 16, 2 * k)) == Outcome::kOk);
    REQUIRE(rig.issue(*updater, onesided::accumulate<std::uint64_t>(Operation::kXor, 16, 1)) == Outcome::kOk);
    expected = std::max(expected, 2 * k) ^ 1;
    REQUIRE(rig.issue(*updater, onesided::fetch_add<std::uint64_t>(16, 1)) == Outcome::kOk);
    if (k % 7 == 0) updater->flush();
    std::uint64_t fetched = 0;
    REQUIRE(rig.settle(*updater));
    REQUIRE(updater->take_results(std::span(&fetched, 1)) == 1);
    REQUIRE(fetched == expected);
    ++expected;
    ++taken;
  }
  REQUIRE(taken == 500);
}

TEST_CASE("counters say what is done, at both ends") {
  Rig rig(kBytes);
  const auto updater = need(rig.open());
  REQUIRE(updater->issued() == 0);
  REQUIRE(updater->completed() == 0);
  std::uint64_t issued = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    for (std::uint64_t k = 0; k < 100; ++k, ++issued) {
      REQUIRE(rig.issue(*updater, increment(issued)) == Outcome::kOk);
      REQUIRE(updater->issued() == issued + 1);
      REQUIRE(updater->completed() <= updater->issued());
      REQUIRE(total(rig.region) >= updater->completed());
      if (!rig.way.owner_polls) REQUIRE(updater->completed() == issued + 1);
    }
    REQUIRE(rig.settle(*updater));
    REQUIRE(total(rig.region) == issued);
    REQUIRE((rig.way.owner_polls ? rig.receivers[0]->applied() : rig.region.performed(0)) == issued);
  }
}

TEST_CASE("where updates travel, nothing is done before the owner polls") {
  Rig rig(kBytes);
  if (!rig.way.owner_polls) return;
  const auto updater = need(rig.open());
  REQUIRE(updater->update(increment(0)) == Outcome::kOk);
  REQUIRE(updater->flush() == Outcome::kOk);
  REQUIRE(updater->completed() == 0);
  REQUIRE(total(rig.region) == 0);
  REQUIRE(rig.takes(1));
  REQUIRE(in_time([&] { return updater->completed() == 1; }));
  REQUIRE(total(rig.region) == 1);
}

TEST_CASE("a full link pushes back, and nothing is lost or done twice") {
  Rig rig(kBytes);
  if (!rig.way.owner_polls) return;
  const auto updater = need(rig.open());
  std::uint64_t accepted = 0;
  while (updater->update(increment(accepted)) == Outcome::kOk) ++accepted;
  REQUIRE(accepted > 0);
  for (int times = 0; times < 3; ++times) REQUIRE(updater->update(increment(accepted)) == Outcome::kBackPressured);
  REQUIRE(updater->issued() == accepted);
  REQUIRE(rig.settle(*updater));
  REQUIRE(total(rig.region) == accepted);
  REQUIRE(rig.issue(*updater, increment(accepted)) == Outcome::kOk);
  REQUIRE(rig.settle(*updater));
  REQUIRE(total(rig.region) == accepted + 1);
}

TEST_CASE("as many fetched values as there are slots may wait, and come in order") {
  Rig rig(kBytes);
  const auto updater = need(rig.open());
  const std::uint32_t slots = rig.way.link.result_slots;
  std::vector<std::uint64_t> out(slots + 1);
  for (std::uint64_t lap = 0; lap < 5; ++lap) {
    for (std::uint64_t k = 0; k < slots; ++k) {
      REQUIRE(rig.issue(*updater, onesided::fetch_add<std::uint64_t>(8, 1)) == Outcome::kOk);
      REQUIRE(rig.settle(*updater));
    }
    REQUIRE(updater->update(onesided::fetch_add<std::uint64_t>(8, 1)) == Outcome::kBackPressured);
    REQUIRE(updater->update(onesided::compare_swap<std::uint64_t>(8, 0, 1)) == Outcome::kBackPressured);
    REQUIRE(rig.issue(*updater, increment(2)) == Outcome::kOk);  // needs no slot
    REQUIRE(rig.settle(*updater));
    REQUIRE(updater->take_results(out) == slots);
    for (std::uint64_t k = 0; k < slots; ++k) REQUIRE(out[k] == lap * slots + k);
    REQUIRE(updater->take_results(out) == 0);
  }
}

TEST_CASE("an origin that closes: what it issued is done, then the link is closed") {
  Rig rig(kBytes);
  if (!rig.way.owner_polls) return;
  auto updater = need(rig.open());
  REQUIRE(updater->update(increment(0)) == Outcome::kOk);
  REQUIRE(updater->update(increment(1)) == Outcome::kOk);
  updater.reset();
  REQUIRE_FALSE(rig.receivers[0]->closed());
  REQUIRE(in_time([&] { return rig.poll(), rig.receivers[0]->closed(); }));
  REQUIRE(total(rig.region) == 2);
  REQUIRE(rig.receivers[0]->status().ok());
}

TEST_CASE("an owner that closes: the origin is told, with how much was done") {
  Rig rig(kBytes);
  if (!rig.way.owner_polls) return;
  const auto updater = need(rig.open());
  REQUIRE(updater->update(increment(0)) == Outcome::kOk);
  REQUIRE(rig.settle(*updater));
  rig.receivers.clear();
  REQUIRE(in_time([&] { return updater->update(increment(1)) == Outcome::kClosed; }));
  REQUIRE(updater->flush() == Outcome::kClosed);
  REQUIRE(updater->completed() == 1);
  REQUIRE(updater->status().code() == Code::kPeerLost);
  REQUIRE(updater->status().message().find("after 1 of ") != std::string::npos);
}

TEST_CASE("what was held back for too long goes out when the origin polls") {
  Rig rig(kBytes);
  if (!rig.way.holds_updates) return;
  const auto updater = need(rig.open());
  const std::uint64_t start_ns = 5'000'000'000, age_ns = 100'000;
  // Repeated: the only bucket of a small link may still be on its way back.
  const auto goes_out_at = [&](std::uint64_t now_ns) {
    std::size_t taken = 0;
    return in_time([&] { return updater->poll(now_ns), (taken += rig.poll()) > 0; }) && taken == 1;
  };
  REQUIRE(updater->update(increment(0)) == Outcome::kOk);
  updater->poll(start_ns);
  updater->poll(start_ns + age_ns - 1);
  REQUIRE(rig.poll() == 0);
  REQUIRE(goes_out_at(start_ns + age_ns));
  REQUIRE(rig.issue(*updater, increment(1)) == Outcome::kOk);
  updater->poll(start_ns + 2 * age_ns);  // a new bucket begins a new age
  REQUIRE(rig.poll() == 0);
  REQUIRE(goes_out_at(start_ns + 3 * age_ns));
  updater->poll(start_ns + 9 * age_ns);
  REQUIRE(rig.poll() == 0);
}

}  // namespace woa::cts
