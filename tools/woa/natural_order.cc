#include "tools/woa/natural_order.h"

#include <algorithm>
#include <compare>
#include <cstddef>

namespace woa::tools {
namespace {

bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

// The digits that `text` begins with, which are taken off it, without leading zeros.
std::string_view take_number(std::string_view& text) noexcept {
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_decimal) - text.begin());
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

// Numbers of any length.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b) noexcept {
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

std::strong_ordering compare_naturally(std::string_view a, std::string_view b) noexcept {
  while (!a.empty() && !b.empty()) {
    if (is_decimal(a[0]) && is_decimal(b[0])) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (const auto order = compare_numbers(left, right); order != 0) return order;
      continue;
    }
    const auto left = static_cast<unsigned char>(a[0]), right = static_cast<unsigned char>(b[0]);
    if (left != right) return left <=> right;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() <=> b.size();
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) noexcept {
  const auto order = compare_naturally(a, b);
  return order != 0 ? order < 0 : a < b;
}

}  // namespace woa::tools
