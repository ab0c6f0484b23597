#include "library/quantities.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>

namespace woa {
namespace {

constexpr std::array kFixed{"%.0f ", "%.1f ", "%.2f ", "%.3f "};  // by digits behind the point

// Four digits; fewer for whole numbers in the smallest unit.
std::string in_unit(double value, double step, std::span<const char* const> units) {
  std::size_t unit = 0;
  for (; value >= 10 * step && unit + 1 < units.size(); ++unit) value /= step;
  const int whole = value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 4;
  return to_text(unit == 0 && value == std::floor(value) ? "%.0f " : kFixed[4 - whole], value) + units[unit];
}

}  // namespace

std::string to_text(const char* format, double value) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), format, value);
  return out.data();
}

std::string us_of(double us) {
  constexpr std::array kUnits{"us", "ms", "s"};
  return in_unit(us, 1000, kUnits);
}

std::string bytes_of(double bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB"};
  return in_unit(bytes, 1024, kUnits);
}

}  // namespace woa
