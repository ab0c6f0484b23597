// For any measurements no other limit would be noticeably better, and the order of magnitude does not matter.
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/measure/crossing.h"
#include "tests/support/catch.h"

namespace woa::measure {
namespace {

std::vector<TwoWays> any_figures() {
  std::vector<TwoWays> figures;
  const auto count = *rc::gen::inRange<std::uint64_t>(0, 15);
  for (std::uint64_t k = 0; k < count; ++k)
    figures.push_back({std::uint64_t{8} << k, static_cast<double>(*rc::gen::inRange(1, 1000)),
                       static_cast<double>(*rc::gen::inRange(1, 1000))});
  return figures;
}

double loss(const std::vector<TwoWays>& figures, std::uint64_t limit) {
  double sum = 0;
  for (const TwoWays& at : figures)
    sum += std::log((at.size <= limit ? at.small_way : at.large_way) / std::min(at.small_way, at.large_way));
  return sum;
}

TEST_CASE("no limit loses noticeably less than the one chosen, and no smaller one as little") {
  CHECK(rc::check([] {
    const std::vector<TwoWays> figures = any_figures();
    const std::uint64_t chosen = crossing(figures);
    constexpr double kRounding = 1e-9;
    std::vector<std::uint64_t> limits{0};
    for (const TwoWays& at : figures) limits.push_back(at.size);
    RC_ASSERT(std::ranges::find(limits, chosen) != limits.end());
    double least = loss(figures, 0);
    for (const std::uint64_t limit : limits) least = std::min(least, loss(figures, limit));
    RC_ASSERT(loss(figures, chosen) <= least + 0.02 + kRounding);
    for (const std::uint64_t limit : limits) {
      if (limit < chosen) RC_ASSERT(loss(figures, limit) > least + 0.02 - kRounding);
    }
  }));
}

}  // namespace
}  // namespace woa::measure
