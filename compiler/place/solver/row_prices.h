// Multipliers of rows, by the subgradient method (Held, Wolfe and Crowder, "Validation of subgradient optimization",
// Mathematical Programming 6, 1974): that of a row that the cheapest placement overloads grows, that of a row with room
// shrinks.
#pragma once

#include <chrono>
#include <cstdint>

#include "compiler/place/solver/bound.h"

namespace woa::assign {

struct RowSearch {
  Multipliers best;     // those with the highest bound that was met
  Sum bound = 0;        // of `best`
  Placement placement;  // the best that rounding met; empty: none was feasible
};

// True if the bound is at most `ppm` millionths of the value below it.
[[nodiscard]] constexpr bool is_near(Sum bound, Sum value, Cost ppm) noexcept {
  return bound >= value - value * ppm / 1'000'000;
}

// Initial messages: all 0, with the largest scale at which they fit 64 bits.
Multipliers first_messages(const Problem& problem);

// `messages`: the multipliers to begin with, those of rows included; updated to go on with. `value`: of a feasible
// placement, or above all: it determines the lengths of steps. One step takes some passes of message passing and one
// rounding.
struct RowSteps {
  std::uint32_t most = 0;
  std::chrono::steady_clock::time_point end;  // at least one step is made
  Cost near_ppm = 0;                          // a bound that is_near() the best value is enough
};
RowSearch price_rows(const Problem& problem, Multipliers& messages, Sum value, const RowSteps& steps);

}  // namespace woa::assign
