#include "tools/woa/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace woa::tools {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// What `inner` takes.
CLI::Validator expecting(const std::string& what, const CLI::Validator& inner) {
  CLI::Validator outer = inner;
  outer.operation([what, inner](std::string& value) {
    const std::string given = value;
    try {
      if (inner(value).empty()) return std::string();
    } catch (const CLI::ValidationError&) {  // some say so, others throw
    }
    return "expected " + what + ", got '" + given + "'";
  });
  return outer;
}

std::string refuse_outside(const std::string& text, std::uint64_t lowest, std::uint64_t highest) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number >= lowest && number <= highest ? "" : "refused";
}

// Leaves the number of what the units are multiples of.
std::string count_units(std::string& text, const std::map<std::string, std::uint64_t>& units, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const auto unit = units.find(std::string(std::find_if(stop, end, [](char c) { return c != ' '; }), end));
  if (error != std::errc() || number == 0 || unit == units.end() || number > most / unit->second) return "refused";
  text = std::to_string(number * unit->second);
  return "";
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
  const CLI::Validator whole([=](std::string& text) { return refuse_outside(text, lowest, highest); },
                             highest == kMost ? "" : range);
  return expecting("a whole number from " + range, whole);
}

CLI::Validator positive() { return within(1, kMost); }

CLI::Validator positive_number() {
  const CLI::Validator number(
      [](std::string& text) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value);
        return is_number && std::isfinite(value) && value > 0 ? "" : "refused";
      },
      "POSITIVE");
  return expecting("a number above 0", number);
}

CLI::Validator one_of(const std::vector<std::string>& names) { return expecting(list(names), CLI::IsMember(names)); }

CLI::Validator with_unit(const std::map<std::string, std::uint64_t>& units, std::uint64_t most,
                         const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& [name, factor] : units) names.push_back(name);
  std::ranges::sort(names, {}, [&](const std::string& name) { return units.at(name); });
  const std::uint64_t largest = units.at(names.back());
  const CLI::Validator counted([units, most](std::string& text) { return count_units(text, units, most); }, kind);
  return expecting("a whole number from 1 on and its unit, " + list(names) + ", at most " +
                       std::to_string(most / largest) + names.back(),
                   counted);
}

CLI::Validator bytes() { return expecting("a number of bytes, such as 64, 4KiB or 1MiB", CLI::AsSizeValue(true)); }

}  // namespace woa::tools
