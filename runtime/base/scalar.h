// Numbers and truth values as people write them. Files, options and plans all read them here, so that one text means
// the same everywhere (docs/graph-language.md, "Numbers").
//
// A number is decimal: an optional sign, digits, perhaps a point among them, and perhaps an exponent. Leading zeros
// change nothing. There are no octal or hexadecimal numbers, no blanks and no separators.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace woa {

// A number with a whole value: `12`, `+12`, `012`, `12.0` and `1.2e1` are 12. Nothing if `text` is no number, is not
// whole, or does not fit. `-0` is 0.
std::optional<std::uint64_t> parse_whole(std::string_view text) noexcept;
std::optional<std::int64_t> parse_signed(std::string_view text) noexcept;
// Digits alone, without a sign: for numbers inside another text. Nothing if there are other characters or too many.
std::optional<std::uint64_t> parse_digits(std::string_view text) noexcept;
// True if `text` is digits after an optional sign: the only numbers accepted in quotes, where a schema sees a text.
bool is_in_digits(std::string_view text) noexcept;
// Any number that a double holds; never infinite.
std::optional<double> parse_decimal(std::string_view text) noexcept;
// `true`, `True`, `TRUE`, and `false`, `False`, `FALSE`, as in YAML.
std::optional<bool> parse_bool(std::string_view text) noexcept;

// A unit of a quantity: `2us` is 2 times its factor. With an empty name the number may stand alone.
struct Unit {
  std::string_view name;
  std::uint64_t factor;
};
inline constexpr std::array<Unit, 5> kSizeUnits{
    {{"", 1}, {"B", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}}};
inline constexpr std::array<Unit, 5> kTimeUnits{
    {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"min", 60'000'000'000}}};

// Digits after an optional `+`, directly followed by a unit. If a unit has an empty name, also any whole number alone.
struct Quantity {
  std::uint64_t value = 0;  // the product
  bool fits = true;         // false: the product takes more than 63 bits, and `value` is 0
};
std::optional<Quantity> parse_quantity(std::string_view text, std::span<const Unit> units) noexcept;

}  // namespace woa
