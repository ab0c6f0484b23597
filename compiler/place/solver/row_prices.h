// Prices of rows, by the subgradient method (Held, Wolfe and Crowder, "Validation of subgradient optimization",
// Mathematical Programming 6, 1974): a row that the cheapest placement overloads becomes dearer, one that it leaves
// room in cheaper.
#pragma once

#include <chrono>
#include <cstdint>

#include "compiler/place/solver/bound.h"

namespace woa::assign {

struct RowSearch {
  Multipliers best;     // whose bound is the highest that was met
  Sum bound = 0;        // theirs
  Placement placement;  // the best that rounding met; empty: none was feasible
};

// Is the bound no more than so many millionths of the value below it?
[[nodiscard]] constexpr bool is_near(Sum bound, Sum value, Cost ppm) noexcept {
  return bound >= value - value * ppm / 1'000'000;
}

// To begin with: all prices 0, by the largest scale with which they fit 64 bits.
Multipliers first_messages(const Problem& problem);

// `messages`: as ascend(); with rows their prices, too, are gone on with. `value`: of a feasible placement, or above
// all: steps are measured by it. One step takes some passes of ascend() and one rounding.
struct RowSteps {
  std::uint32_t most = 0;
  std::chrono::steady_clock::time_point end;  // one is made whatever the time
  Cost near_ppm = 0;                          // a bound that is_near() the best value is enough
};
RowSearch price_rows(const Problem& problem, Multipliers& messages, Sum value, const RowSteps& steps);

}  // namespace woa::assign
