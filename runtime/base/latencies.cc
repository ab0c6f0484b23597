#include "runtime/base/latencies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

namespace woa {
namespace {

// Nearest-rank quantile of sorted values: the smallest that at least `share` of them do not exceed.
std::uint64_t quantile(const std::vector<std::uint64_t>& sorted, double share) {
  return sorted[static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()))) - 1];
}

}  // namespace

void Latencies::add(std::uint64_t ns) {
  ++count_;
  min_ = std::min(min_, ns);
  max_ = std::max(max_, ns);
  if (kept_.size() < kKept && keeps(ns)) return;
  const std::uint64_t place = std::uniform_int_distribution<std::uint64_t>(0, count_ - 1)(random_);
  if (place < kept_.size()) kept_[place] = ns;
}

// False: there is no memory for another, and the sample stays as large as it is.
bool Latencies::keeps(std::uint64_t ns) {
  try {
    kept_.push_back(ns);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Latencies::Summary Latencies::summary() const {
  if (count_ == 0) return {};
  const auto middle = quantiles(std::array{0.5, 0.99});
  return {min_, middle[0], middle[1], max_};
}

std::vector<std::uint64_t> Latencies::quantiles(std::span<const double> shares) const {
  if (count_ == 0) return {};
  std::vector<std::uint64_t> sorted = kept_, found;
  if (sorted.empty()) sorted.push_back(max_);  // there was no memory for one
  std::ranges::sort(sorted);
  for (const double share : shares) found.push_back(quantile(sorted, share));
  return found;
}

}  // namespace woa
