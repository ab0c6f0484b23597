// The host's time for an activation, beyond what the library takes to start a run and to wait for it. Printed; the test
// fails if a call does, and has no opinion on times. Every contender uses the same library and the same node.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "tests/support/copying_node.h"
#include "tests/support/need.h"
#include "tests/support/noop_backend.h"
#include "tests/support/require.h"
#include "tests/unit/controllers/fpga/xrt_backend/by_hand.h"
#include "tests/unit/controllers/fpga/xrt_backend/small_firings.h"

namespace woa::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kFirings = 400;
constexpr std::size_t kLeastRounds = 5, kMostRounds = 51;
constexpr std::chrono::seconds kLongest{3};  // another round begins before that

// Wall times, a sample per round.
class Contender {
 public:
  explicit Contender(std::function<void()> work) : work_(std::move(work)) {}

  void take_turn() {
    const auto begin = Clock::now();
    work_();
    const std::chrono::duration<double, std::micro> all = Clock::now() - begin;
    us_.push_back(all.count() / kFirings);
  }
  [[nodiscard]] double us_each() {  // the median
    std::ranges::sort(us_);
    return us_[us_.size() / 2];
  }

 private:
  std::function<void()> work_;
  std::vector<double> us_;
};

void compare(const xrt::Library& xrt, SmallFirings& firings, std::uint32_t at_once) {
  const ByHand library(xrt, false), with_syncs(xrt, true);
  REQUIRE(library.runs() == SmallFirings::kMost);
  Contender alone([&] { library.run(kFirings, at_once); }), synced([&] { with_syncs.run(kFirings, at_once); });
  Contender ours([&] { firings.run(kFirings, at_once, SmallFirings::Idle::kLook); });
  std::size_t rounds = 0;
  for (const auto begin = Clock::now();
       rounds < kLeastRounds || (rounds < kMostRounds && Clock::now() - begin < kLongest); ++rounds)
    for (Contender* const contender : {&alone, &synced, &ours}) contender->take_turn();
  const double base = alone.us_each(), base_synced = synced.us_each(), all = ours.us_each();
  std::printf(
      "%u under way: an activation takes %.2f us; by hand, start and wait take %.2f us, with syncs %.2f us\n"
      "  the host's time above start and wait: %.2f us; above start, wait and syncs: %.2f us (medians, %zu rounds)\n",
      at_once, all, base, base_synced, all - base, all - base_synced, rounds);
}

TEST_CASE("an activation of 64 bytes, and the library's own start and wait") {
  const auto table = noop_library(CopyingNode());
  if (!table.ok()) skip("xrt", table.status().message());
  SmallFirings firings(need(make_noop_backend(**table)));
  firings.run(10 * kFirings, SmallFirings::kMost, SmallFirings::Idle::kLook);  // every run has its arguments
  for (const std::uint32_t at_once : {1U, 8U}) compare(**table, firings, at_once);
}

}  // namespace
}  // namespace woa::test
