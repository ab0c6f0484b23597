#include "runtime/base/divisor.h"

#include <random>
#include <vector>

#include "tests/support/catch.h"

namespace woa {
namespace {

void compare(std::uint32_t dividend, std::uint32_t divisor) {
  const std::uint32_t quotient = Divisor(divisor).quotient(dividend);
  if (quotient == dividend / divisor) return;
  FAIL(dividend << " / " << divisor << " gave " << quotient);
}

}  // namespace

TEST_CASE("a quotient is that of the machine's own division, at the edges of every power of two") {
  std::vector<std::uint32_t> edges{1, 3, 5, 7, 0xffffffff};
  for (unsigned bit = 1; bit < 32; ++bit) {
    for (const std::uint32_t edge : {(1U << bit) - 1, 1U << bit, (1U << bit) + 1}) edges.push_back(edge);
  }
  for (const std::uint32_t divisor : edges) {
    compare(0, divisor);
    for (const std::uint32_t dividend : edges) {
      compare(dividend, divisor);
      compare(dividend / divisor * divisor, divisor);
      compare(dividend / divisor * divisor - 1, divisor);
    }
  }
}

TEST_CASE("a quotient is that of the machine's own division, at random") {
  std::mt19937 engine(7);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int step = 0; step < 1'000'000; ++step) {
    const std::uint32_t dividend = random() >> (random() % 32);
    const std::uint32_t divisor = random() >> (random() % 32);
    if (divisor != 0) compare(dividend, divisor);
  }
}

}  // namespace woa
