// The latencies of a run's instances, in memory that does not grow with their number.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace woa {

// Exact up to kKept latencies, or up to as many as there is memory for. Of more it keeps a uniform sample, so that a
// percentile's rank is right to about 0.1 % (reservoir sampling: J. S. Vitter, "Random sampling with a reservoir",
// 1985, algorithm R). Least and greatest are always exact.
class Latencies {
 public:
  static constexpr std::uint64_t kKept = 1 << 20;

  struct Summary {
    std::uint64_t min = 0, p50 = 0, p99 = 0, max = 0;  // ns; nearest rank
  };

  void add(std::uint64_t ns);  // throws nothing
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] Summary summary() const;  // all 0 if there are none
  // For each of `shares`, above 0 and at most 1: the nearest-rank quantile in ns. Empty if there are no latencies.
  [[nodiscard]] std::vector<std::uint64_t> quantiles(std::span<const double> shares) const;

 private:
  bool keeps(std::uint64_t ns);

  std::vector<std::uint64_t> kept_;
  std::uint64_t count_ = 0, min_ = ~std::uint64_t{0}, max_ = 0;
  std::mt19937_64 random_;  // NOLINT(cert-msc51-cpp): the same run twice gives the same sample
};

}  // namespace woa
