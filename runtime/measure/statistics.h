// Statistics that single odd samples do not move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace woa::measure {

// The middle sample; of an even number of samples, the mean of the two in the middle. Needs at least one sample.
double median(std::vector<double> samples);

struct Robust {
  double median = 0;
  double mad = 0;  // median of the absolute deviations from the median
  std::size_t samples = 0;
  std::size_t outliers = 0;  // see robust()
  // The mean of the samples that are no outliers; of all if more than a tenth are; the median of fewer than five.
  double mean = 0;
};
// An outlier is more than 5 standard deviations of a normal distribution with that MAD (one is 1.4826 x MAD; Rousseeuw
// and Croux, "Alternatives to the median absolute deviation", 1993) from the median. If more than half of the samples
// are equal, it differs by more than a tenth. A difference up to `resolution`, the step of the measurement, is no
// outlier. Fewer than five samples have none.
Robust robust(std::span<const double> samples, double resolution = 0);

struct Point {
  double x = 0, y = 0;
};
// A line through points: base + slope * x, neither below 0.
struct Line {
  double base = 0, slope = 0;
  double residual = 0;  // median of |y - line| / y over points whose y is above 0
};
// By Theil and Sen: the median of the slopes between all pairs of points, and of the rest of y. Nothing with fewer than
// two different x. Takes time in the square of the number of points.
std::optional<Line> fit_line(std::span<const Point> points);

}  // namespace woa::measure
