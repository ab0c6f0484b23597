// How long a peer may take.
#include "bench/harness/patience.h"

#include <limits>

#include "tests/support/catch.h"

namespace woa::bench {
namespace {

using std::chrono::seconds;

TEST_CASE("patience grows with what there is to do") {
  CHECK(patience(1, 1) < seconds(1));
  CHECK(patience(1'000'000, 1) >= seconds(100));
  CHECK(patience(1, 256 << 20) >= seconds(1));
  CHECK(patience(2000, 1 << 20) > patience(1000, 1 << 20));
}

TEST_CASE("patience can be added to any clock's time") {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  CHECK(patience(kMost, kMost) > seconds(1'000'000));
  CHECK(std::chrono::system_clock::now() + patience(kMost, kMost) > std::chrono::system_clock::now());
}

}  // namespace
}  // namespace woa::bench
