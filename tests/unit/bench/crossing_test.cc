// The largest size for which the way for small jobs is chosen.
#include "runtime/measure/crossing.h"

#include <vector>

#include "tests/support/catch.h"

namespace woa::measure {
namespace {

TEST_CASE("the choice changes where the curves cross") {
  CHECK(crossing(std::vector<TwoWays>{{8, 10, 20}, {16, 12, 20}, {32, 30, 20}, {64, 60, 20}}) == 16);
  CHECK(crossing(std::vector<TwoWays>{{8, 10, 20}, {16, 12, 20}, {32, 15, 20}}) == 32);
  CHECK(crossing(std::vector<TwoWays>{{8, 30, 20}, {16, 40, 20}}) == 0);
}

TEST_CASE("one figure that is off does not decide") {
  CHECK(crossing(std::vector<TwoWays>{{8, 10, 20}, {16, 24, 20}, {32, 12, 20}, {64, 14, 20}, {128, 40, 20}}) == 64);
  CHECK(crossing(std::vector<TwoWays>{{8, 10, 20}, {16, 30, 20}, {32, 40, 20}, {64, 18, 20}, {128, 90, 20}}) == 8);
}

TEST_CASE("of choices that are as good the smallest is taken") {
  CHECK(crossing(std::vector<TwoWays>{{8, 10, 20}, {16, 20, 20}, {32, 20, 20}, {64, 90, 20}}) == 8);
  CHECK(crossing(std::vector<TwoWays>{{8, 10, 20}, {16, 19.9, 20}, {32, 19.8, 20}, {64, 90, 20}}) == 8);
  CHECK(crossing(std::vector<TwoWays>{{8, 20, 20}}) == 0);
  CHECK(crossing({}) == 0);
}

TEST_CASE("load that slows one way in most rounds, or a single quick round, raises no limit") {
  // In place takes 20 without load; in most rounds something else ran.
  const std::vector<double> quiet{20, 20, 20}, loaded{20, 55, 60};
  CHECK(steady_crossing(std::vector<TwoWaysRepeated>{{8, {10, 10, 11}, quiet}, {16, {30, 31, 32}, loaded}}) == 8);
  CHECK(steady_crossing(std::vector<TwoWaysRepeated>{{8, {10, 10, 11}, quiet}, {16, {5, 31, 32}, quiet}}) == 8);
  CHECK(steady_crossing(std::vector<TwoWaysRepeated>{{8, {10, 10, 11}, quiet}, {16, {15, 15, 16}, loaded}}) == 16);
  // Two rounds of four are slow in place: median and least time are both above inline's.
  const std::vector<double> half{20, 20, 55, 60};
  CHECK(steady_crossing(std::vector<TwoWaysRepeated>{{8, {10, 10, 11, 11}, half}, {16, {19, 21, 56, 23}, half}}) == 8);
  CHECK(steady_crossing({}) == 0);
}

}  // namespace
}  // namespace woa::measure
