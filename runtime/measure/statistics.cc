#include "runtime/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace woa::measure {

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*std::max_element(samples.begin(), middle) + *middle) / 2;
}

Robust robust(std::span<const double> samples, double resolution) {
  constexpr std::size_t kFewest = 5, kMostOutliers = 10;  // more than one in so many are no outliers
  constexpr double kDeviations = 5, kOfMad = 1.4826, kOfMedian = 0.1;
  Robust out;
  out.samples = samples.size();
  if (samples.empty()) return out;
  out.median = median({samples.begin(), samples.end()});
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - out.median));
  out.mad = median(deviations);
  const double apart = out.mad > 0 ? kDeviations * kOfMad * out.mad : kOfMedian * std::abs(out.median);
  out.mean = out.median;
  if (samples.size() < kFewest) return out;
  const double most = std::max(apart, resolution);
  double usual = 0, all = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    all += samples[k];
    if (deviations[k] > most) {
      ++out.outliers;
    } else {
      usual += samples[k];
    }
  }
  const std::size_t count = samples.size() - out.outliers;
  out.mean = out.outliers * kMostOutliers > samples.size() ? all / static_cast<double>(samples.size())
                                                           : usual / static_cast<double>(count);
  return out;
}

std::optional<Line> fit_line(std::span<const Point> points) {
  std::vector<double> slopes, rest, residuals;
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = a + 1; b < points.size(); ++b) {
      if (points[a].x != points[b].x) slopes.push_back((points[b].y - points[a].y) / (points[b].x - points[a].x));
    }
  }
  if (slopes.empty()) return std::nullopt;
  Line line;
  line.slope = std::max(0.0, median(std::move(slopes)));
  for (const Point& point : points) rest.push_back(point.y - line.slope * point.x);
  line.base = std::max(0.0, median(std::move(rest)));
  for (const Point& point : points) {
    if (point.y > 0) residuals.push_back(std::abs(point.y - line.base - line.slope * point.x) / point.y);
  }
  if (!residuals.empty()) line.residual = median(std::move(residuals));
  return line;
}

}  // namespace woa::measure
