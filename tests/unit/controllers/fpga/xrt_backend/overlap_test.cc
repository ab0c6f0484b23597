// Runs overlap: on the double of a card that takes 50 us for each copy and for each run, and with XRT's no-op shim,
// whose runs take 50 us. The environment says which.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/copying_node.h"
#include "tests/support/need.h"
#include "tests/support/noop_backend.h"
#include "tests/support/require.h"
#include "tests/unit/controllers/fpga/xrt_backend/by_hand.h"
#include "tests/unit/controllers/fpga/xrt_backend/small_firings.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kFirings = 400;
constexpr std::size_t kRounds = 7;
constexpr unsigned kRunUs = 50;

const xrt::Library* inner = nullptr;
std::atomic<int> inside{0}, most_inside{0};  // threads in a call that waits for the card

// A function of the table, which notes how many threads are in such calls.
template <auto Member, class R, class... A>
R counted(A... arguments) {
  const int now = ++inside;
  for (int most = most_inside.load(); most < now && !most_inside.compare_exchange_weak(most, now);) {
  }
  const R result = (inner->*Member)(arguments...);
  --inside;
  return result;
}

template <class Work>
double us_each(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - begin;
  return all.count() / kFirings;
}

double median(std::vector<double> samples) {
  std::ranges::sort(samples);
  return samples[samples.size() / 2];
}

// Medians of rounds in which one at a time and eight take turns.
template <class Run>
void compare(const std::string& who, Run&& run) {
  std::vector<double> one, eight;
  for (std::size_t round = 0; round < kRounds; ++round) {
    one.push_back(us_each([&] { run(1); }));
    eight.push_back(us_each([&] { run(8); }));
  }
  std::printf("%s: one at a time %.0f us; eight under way %.0f us each: %.1f times as many\n", who.c_str(), median(one),
              median(eight), median(one) / median(eight));
}

TEST_CASE("eight runs under way overlap") {
  const auto& library = open_xrt();
  if (!library.ok()) skip("xrt", library.status().message());
  const bool is_shim = library->opens_any;
  if (is_shim) REQUIRE(library->functions.set_number("Runtime.noop_completion_delay_us", kRunUs) == 0);
  inner = is_shim ? need(noop_library(CopyingNode())) : &library->functions;
  static xrt::Library table = *inner;
  table.buffer_sync = &counted<&xrt::Library::buffer_sync>;
  table.run_wait = &counted<&xrt::Library::run_wait>;
  SmallFirings firings(need(make_noop_backend(table, !is_shim)));
  const auto run = [&](std::uint32_t at_once) { firings.run(kFirings, at_once, SmallFirings::Idle::kSleep); };
  run(1);
  CHECK(most_inside.load() == 1);
  compare(library->stand_in, run);
  CHECK(most_inside.load() >= 4);  // the figure itself is the machine's
  if (!is_shim) return;
  const ByHand by_hand(*inner, true);
  compare("the same by hand, in one thread", [&](std::uint32_t at_once) { by_hand.run(kFirings, at_once); });
}

}  // namespace
}  // namespace woa::test
