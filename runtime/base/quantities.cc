#include "runtime/base/quantities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace woa {
namespace {

constexpr int kShownDigits = 4;

// `value` rounded to `digits`, without zeros at the end.
std::string rounded(double value, int digits) {
  const double size = std::abs(value);
  const int whole = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%.*g", std::max(digits, whole), value);
  return out.data();
}

// The rounded number decides about the unit, so that nothing is "1000 us".
std::string in_unit(double value, double step, std::span<const char* const> units, int digits) {
  std::string number = rounded(value, digits);
  std::size_t unit = 0;
  while (std::abs(std::strtod(number.c_str(), nullptr)) >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
    number = rounded(value, digits);
  }
  return number + " " + units[unit];
}

}  // namespace

std::string to_text(const char* format, double value) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), format, value);
  return out.data();
}

std::string us_text(double us, int digits) {
  constexpr double kNsPerUs = 1000, kStep = 1000;
  constexpr std::array kUnits{"ns", "us", "ms", "s"};
  return us == 0 ? "0 s" : in_unit(us * kNsPerUs, kStep, kUnits, digits);
}

std::string bytes_text(double bytes) {
  constexpr double kStep = 1024;
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  return in_unit(bytes, kStep, kUnits, kShownDigits);
}

}  // namespace woa
