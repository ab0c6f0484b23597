// Times and sizes for people, in the largest unit that gives at least one. All tables, pictures and messages use them.
#pragma once

#include <concepts>
#include <string>

namespace woa {

// Formats one number as printf does.
std::string to_text(const char* format, double value);

// `digits`: significant ones, at most; digits before the point are all shown.
std::string us_text(double us, int digits = 4);  // "700 ms", "12.35 us", "80 ns"
std::string bytes_text(double bytes);            // "12 KiB", "1.529 GiB"
template <std::integral Count>
std::string bytes_text(Count bytes) {
  return bytes_text(static_cast<double>(bytes));
}

}  // namespace woa
