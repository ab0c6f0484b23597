#include "tools/woa/option_values.h"

#include <charconv>
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

CLI::Validator positive_number() { return expecting("a number above 0", CLI::PositiveNumber); }

CLI::Validator one_of(const std::vector<std::string>& names) { return expecting(list(names), CLI::IsMember(names)); }

CLI::Validator with_unit(const std::map<std::string, std::uint64_t>& units, const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& [name, factor] : units) names.push_back(name);
  return expecting("a whole number and its unit, " + list(names),
                   CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED, kind));
}

CLI::Validator bytes() { return expecting("a number of bytes, such as 64, 4KiB or 1MiB", CLI::AsSizeValue(true)); }

}  // namespace woa::tools
