// Statistics that single odd samples do not move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace woa::bench {

// The middle of the samples; of an even number the mean of the two in the middle. At least one sample.
double median(std::vector<double> samples);

struct Robust {
  double median = 0;
  double mad = 0;  // median of the absolute deviations from the median
  std::size_t samples = 0;
  std::size_t outliers = 0;  // see robust()
};
// What counts as an outlier: 5 standard deviations of a normal distribution with that MAD (1.4826 x MAD is one;
// Rousseeuw and Croux, "Alternatives to the median absolute deviation", 1993). Where more than half are equal, whatever
// differs by more than a tenth. What differs by no more than `resolution` is none: that is how finely they were
// counted.
Robust robust(std::span<const double> samples, double resolution = 0);

struct Point {
  double x = 0, y = 0;
};
// A line through points: base + slope * x, neither below 0.
struct Line {
  double base = 0, slope = 0;
  double residual = 0;  // median of |y - line| / y over points whose y is above 0
};
// By Theil and Sen: the median of all slopes between two points, and of what is left of y. Nothing with fewer than two
// different x. Takes the square of the number of points.
std::optional<Line> fit_line(std::span<const Point> points);

}  // namespace woa::bench
