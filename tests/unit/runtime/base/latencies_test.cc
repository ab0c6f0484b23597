#include "runtime/base/latencies.h"

#include <array>
#include <cmath>
#include <vector>

#include "tests/support/catch.h"

namespace woa {
namespace {

TEST_CASE("no latency at all has a summary of zeros") {
  const Latencies::Summary summary = Latencies().summary();
  CHECK(summary.min == 0);
  CHECK(summary.p99 == 0);
  CHECK(summary.max == 0);
  CHECK(Latencies().quantiles(std::array{0.5}).empty());
}

TEST_CASE("percentiles of few latencies are exact, by nearest rank") {
  Latencies latencies;
  for (std::uint64_t ns = 200; ns > 0; --ns) latencies.add(ns);
  const Latencies::Summary summary = latencies.summary();
  CHECK(summary.min == 1);
  CHECK(summary.p50 == 100);
  CHECK(summary.p99 == 198);
  CHECK(summary.max == 200);
  CHECK(latencies.count() == 200);
  CHECK(latencies.quantiles(std::array{0.001, 0.25, 0.251, 1.0}) == std::vector<std::uint64_t>{1, 50, 51, 200});
}

// The first half is small and the second large: a sample of only the first, or only the last, would be far off.
TEST_CASE("percentiles of more latencies than are kept come from all of them") {
  Latencies latencies;
  constexpr std::uint64_t kAll = 4 * Latencies::kKept;
  latencies.add(5'000'000'000);
  for (std::uint64_t ns = 1; ns < kAll; ++ns) latencies.add(ns);
  const Latencies::Summary summary = latencies.summary();
  CHECK(latencies.count() == kAll);
  CHECK(summary.min == 1);
  CHECK(summary.max == 5'000'000'000);
  const auto share = [](std::uint64_t ns) { return static_cast<double>(ns) / static_cast<double>(kAll); };
  CHECK(std::abs(share(summary.p50) - 0.50) < 0.005);
  CHECK(std::abs(share(summary.p99) - 0.99) < 0.005);
}

}  // namespace
}  // namespace woa
