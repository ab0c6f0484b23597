#include "runtime/base/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace woa {
namespace {

constexpr std::uint64_t kMostQuantity = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Removes and returns the digits that `text` begins with.
std::string_view take_digits(std::string_view& text) noexcept {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

// Removes a sign. True if it is a minus.
bool take_sign(std::string_view& text) noexcept {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  return minus;
}

// The parts of a number: (-1)^minus * (whole . fraction) * 10^exponent.
struct Parts {
  bool minus = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;
};

// Exponents saturate here: beyond, every number but 0 is out of every range.
constexpr std::int64_t kMostExponent = 100'000'000;

std::optional<Parts> split(std::string_view text) noexcept {
  Parts parts;
  parts.minus = take_sign(text);
  parts.whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.whole.empty() && parts.fraction.empty()) return std::nullopt;
  if (text.empty()) return parts;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  for (const char c : digits) parts.exponent = std::min(parts.exponent * 10 + (c - '0'), kMostExponent);
  if (negative) parts.exponent = -parts.exponent;
  return parts;
}

// The digit of weight 10^position in the number's value.
char digit_at(const Parts& parts, std::int64_t position) noexcept {
  const std::int64_t at = static_cast<std::int64_t>(parts.whole.size()) - 1 - (position - parts.exponent);
  if (at < 0) return '0';
  const auto index = static_cast<std::size_t>(at);
  if (index < parts.whole.size()) return parts.whole[index];
  const std::size_t behind = index - parts.whole.size();
  return behind < parts.fraction.size() ? parts.fraction[behind] : '0';
}

// The magnitude; nothing if it is not whole or takes more than 64 bits.
std::optional<std::uint64_t> magnitude(const Parts& parts) noexcept {
  const std::int64_t top = static_cast<std::int64_t>(parts.whole.size()) - 1 + parts.exponent;
  const std::int64_t lowest = parts.exponent - static_cast<std::int64_t>(parts.fraction.size());
  for (std::int64_t position = lowest; position < 0 && position <= top; ++position)
    if (digit_at(parts, position) != '0') return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  // Skips leading zeros, of which there may be many; after them 20 digits decide.
  std::int64_t position = top;
  while (position >= std::max<std::int64_t>(lowest, 0) && digit_at(parts, position) == '0') --position;
  if (position < std::max<std::int64_t>(lowest, 0)) return 0;
  for (; position >= 0; --position) {
    const auto digit = static_cast<std::uint64_t>(digit_at(parts, position) - '0');
    if (value > (kMost - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_whole(std::string_view text) noexcept {
  const std::optional<Parts> parts = split(text);
  const std::optional<std::uint64_t> value = parts ? magnitude(*parts) : std::nullopt;
  return value && parts->minus && *value != 0 ? std::nullopt : value;
}

std::optional<std::int64_t> parse_signed(std::string_view text) noexcept {
  const std::optional<Parts> parts = split(text);
  const std::optional<std::uint64_t> value = parts ? magnitude(*parts) : std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value || *value > kMost + (parts->minus ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(parts->minus ? 0 - *value : *value);
}

std::optional<std::uint64_t> parse_digits(std::string_view text) noexcept {
  return std::ranges::all_of(text, is_digit) ? parse_whole(text) : std::nullopt;
}

bool is_in_digits(std::string_view text) noexcept {
  take_sign(text);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

std::optional<double> parse_decimal(std::string_view text) noexcept {
  if (!split(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);  // from_chars() accepts none
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> parse_bool(std::string_view text) noexcept {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

std::optional<Quantity> parse_quantity(std::string_view text, std::span<const Unit> units) noexcept {
  std::string_view name = text.substr(text.starts_with('+') ? 1 : 0);
  const std::string_view digits = take_digits(name);
  const bool alone = digits.empty() || name.empty() || std::ranges::find(units, name, &Unit::name) == units.end();
  const auto unit = std::ranges::find(units, alone ? std::string_view() : name, &Unit::name);
  if (unit == units.end()) return std::nullopt;
  const std::optional<std::uint64_t> number = parse_whole(alone ? text : digits);
  const bool only_large = !digits.empty() && (name.empty() || !alone);
  if (!number) return only_large ? std::optional(Quantity{0, false}) : std::nullopt;
  if (*number > kMostQuantity / unit->factor) return Quantity{0, false};
  return Quantity{*number * unit->factor, true};
}

}  // namespace woa
