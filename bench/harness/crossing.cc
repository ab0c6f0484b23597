#include "bench/harness/crossing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace woa::bench {

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

}  // namespace woa::bench
