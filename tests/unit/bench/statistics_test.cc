#include "runtime/measure/statistics.h"

#include "runtime/measure/report.h"
#include "tests/support/catch.h"

namespace woa::measure {
namespace {

TEST_CASE("a median is the middle, or between the two in the middle") {
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 5}) == 5);
  CHECK(median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("the median of a row is that of its samples") {
  Row row;
  row.samples = {4, 1, 3, 2};
  CHECK(row.median() == 2.5);
}

TEST_CASE("an outlier is counted, and moves neither median nor MAD") {
  const std::vector<double> clean{10, 11, 9, 10, 12, 8, 10, 11};
  std::vector<double> spoilt = clean;
  spoilt.push_back(1000);
  const Robust before = robust(clean), after = robust(spoilt);
  CHECK(before.samples == 8);
  CHECK(before.outliers == 0);
  CHECK(before.median == 10);
  CHECK(before.mad == 1);
  CHECK(after.median == 10);
  CHECK(after.mad == 1);
  CHECK(after.outliers == 1);
}

TEST_CASE("where most samples are equal, what differs by more than a tenth is an outlier") {
  const Robust out = robust(std::vector<double>{100, 100, 100, 109, 111});
  CHECK(out.mad == 0);
  CHECK(out.outliers == 1);
  CHECK(robust(std::vector<double>{100, 100, 100, 109, 111}, 11).outliers == 0);
  CHECK(robust(std::vector<double>{10, 11, 900}).outliers == 0);
  CHECK(robust({}).samples == 0);
}

TEST_CASE("a mean leaves outliers out, unless they are more than a tenth and so no accident") {
  std::vector<double> samples(19, 10);
  samples[0] = 12;
  samples.push_back(1000);
  CHECK(robust(samples, 2).mean == 10 + 2.0 / 19);
  samples.push_back(1000), samples.push_back(1000);
  CHECK(robust(samples, 2).outliers == 3);
  CHECK(robust(samples, 2).mean == (19 * 10 + 2 + 3 * 1000) / 22.0);
  CHECK(robust(std::vector<double>{1, 2, 90}).mean == 2);
}

TEST_CASE("a line is found though one point is far off") {
  std::vector<Point> points;
  for (double x = 0; x < 8; ++x) points.push_back({x * 1024, 500 + 3 * x * 1024});
  points[3].y = 1e6;
  const auto line = fit_line(points);
  REQUIRE(line.has_value());
  CHECK(line->slope == 3);
  CHECK(line->base == 500);
  CHECK(line->residual == 0);
}

TEST_CASE("a line is never below nothing, and needs two sizes") {
  const auto falling = fit_line(std::vector<Point>{{0, 10}, {10, 4}, {20, 1}});
  REQUIRE(falling.has_value());
  CHECK(falling->slope == 0);
  CHECK(falling->base == 4);
  CHECK(falling->residual > 0);
  CHECK_FALSE(fit_line(std::vector<Point>{{5, 1}, {5, 2}}).has_value());
  CHECK_FALSE(fit_line({}).has_value());
}

}  // namespace
}  // namespace woa::measure
