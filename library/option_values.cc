#include "library/option_values.h"

#include <limits>
#include <optional>

namespace woa {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// `inner` with our text for refused values: `what` was expected, and what was given.
CLI::Validator expecting(const std::string& what, const CLI::Validator& inner) {
  CLI::Validator outer = inner;
  outer.operation([what, inner](std::string& value) {
    const std::string given = value;
    try {
      if (inner(value).empty()) return std::string();
    } catch (const CLI::ValidationError&) {  // some validators return the error, others throw
    }
    return "expected " + what + ", got '" + given + "'";
  });
  return outer;
}

// Replaces `text` by the number in digits, or refuses.
std::string take(std::string& text, std::optional<std::uint64_t> number, std::uint64_t lowest, std::uint64_t highest) {
  if (!number || *number < lowest || *number > highest) return "refused";
  text = std::to_string(*number);
  return "";
}

std::optional<std::uint64_t> product(const std::string& text, std::span<const Unit> units) {
  const std::optional<Quantity> quantity = parse_quantity(text, units);
  return quantity && quantity->fits ? std::optional(quantity->value) : std::nullopt;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 < names.size() ? ", " : " or ") + names[k];
  return text;
}

}  // namespace

CLI::Validator within(std::uint64_t lowest, std::uint64_t highest) {
  const std::string range = std::to_string(lowest) + (highest == kMost ? " on" : " to " + std::to_string(highest));
  const CLI::Validator whole([=](std::string& text) { return take(text, parse_whole(text), lowest, highest); },
                             highest == kMost ? "" : range);
  return expecting("a whole number from " + range, whole);
}

CLI::Validator positive() { return within(1, kMost); }

CLI::Validator positive_number() {
  const CLI::Validator number(
      [](std::string& text) {
        const std::optional<double> value = parse_decimal(text);
        return value && *value > 0 ? "" : "refused";
      },
      "POSITIVE");
  return expecting("a number above 0", number);
}

CLI::Validator one_of(const std::vector<std::string>& names) { return expecting(list(names), CLI::IsMember(names)); }

CLI::Validator with_unit(std::span<const Unit> units, std::uint64_t most, const std::string& kind) {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.emplace_back(unit.name);
  const Unit& largest = units.back();
  const CLI::Validator counted([=](std::string& text) { return take(text, product(text, units), 1, most); }, kind);
  return expecting("a whole number from 1 on and its unit, " + list(names) + ", at most " +
                       std::to_string(most / largest.factor) + names.back(),
                   counted);
}

CLI::Validator bytes(std::uint64_t lowest, std::uint64_t highest) {
  const CLI::Validator counted(
      [=](std::string& text) { return take(text, product(text, kSizeUnits), lowest, highest); }, "BYTES");
  const std::string most = highest == kMostBytes ? " on" : " to " + std::to_string(highest);
  return expecting("a number of bytes from " + std::to_string(lowest) + most + ", such as 64, 4KiB or 1MiB", counted);
}

}  // namespace woa
