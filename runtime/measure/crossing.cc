#include "runtime/measure/crossing.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/measure/statistics.h"

namespace woa::measure {

std::uint64_t crossing(std::span<const TwoWays> by_size) {
  constexpr double kAsGood = 0.02;
  const auto loss = [](double chosen, double other) { return std::max(0.0, std::log(chosen / other)); };
  std::vector<double> losses(by_size.size() + 1, 0);  // [k]: the first k sizes go the small way
  for (std::size_t k = 0; k < losses.size(); ++k) {
    for (std::size_t s = 0; s < by_size.size(); ++s) {
      const TwoWays& at = by_size[s];
      losses[k] += s < k ? loss(at.small_way, at.large_way) : loss(at.large_way, at.small_way);
    }
  }
  const double least = *std::ranges::min_element(losses);
  const auto first = std::ranges::find_if(losses, [&](double each) { return each <= least + kAsGood; });
  const auto count = static_cast<std::size_t>(first - losses.begin());
  return count == 0 ? 0 : by_size[count - 1].size;
}

namespace {

// Is the small way quicker in three quarters of the rounds?
bool is_steady(const TwoWaysRepeated& at) {
  std::size_t quicker = 0;
  for (std::size_t round = 0; round < at.small_way.size(); ++round)
    quicker += at.small_way[round] < at.large_way[round] ? 1 : 0;
  return 4 * quicker >= 3 * at.small_way.size();
}

}  // namespace

std::uint64_t steady_crossing(std::span<const TwoWaysRepeated> by_size) {
  std::vector<TwoWays> medians, least;
  for (const TwoWaysRepeated& at : by_size) {
    medians.push_back({at.size, median(at.small_way), median(at.large_way)});
    least.push_back({at.size, *std::ranges::min_element(at.small_way), *std::ranges::min_element(at.large_way)});
  }
  const std::uint64_t most = std::min(crossing(medians), crossing(least));
  std::uint64_t limit = 0;
  for (const TwoWaysRepeated& at : by_size)
    if (at.size <= most && is_steady(at)) limit = at.size;
  return limit;
}

}  // namespace woa::measure
