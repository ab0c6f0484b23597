#include "library/option_names.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "library/options.h"

namespace woa {
namespace {

constexpr std::string_view kDashes = "--", kOption = "option ";

std::set<std::string, std::less<>> names_of_options() {
  CLI::App app;
  app.set_help_flag();
  PlanOptions compile;
  add_compile_options(app, compile);
  CLI::App other;
  other.set_help_flag();
  StartOptions start;
  add_start_options(other, start);
  std::set<std::string, std::less<>> names;
  for (const CLI::App* each : {&app, &other})
    for (const CLI::Option* option : each->get_options()) names.insert(option->get_lnames().front());
  return names;
}

// True if `text` begins with the dashes and the name of an option of the library.
bool begins_with_option(std::string_view text) {
  static const auto names = names_of_options();
  if (!text.starts_with(kDashes)) return false;
  const std::string_view rest = text.substr(kDashes.size());
  const auto end = std::ranges::find_if(rest, [](unsigned char c) { return std::islower(c) == 0 && c != '-'; });
  return names.contains(rest.substr(0, static_cast<std::size_t>(end - rest.begin())));
}

}  // namespace

std::string by_option_names(std::string_view message) {
  std::string text;
  bool quoted = false;
  for (std::size_t at = 0; at < message.size(); ++at) {
    const bool opens = message[at] == '`' && !quoted;
    if (message[at] == '`') quoted = !quoted;
    const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(message[at - 1])) == 0;
    if (opens && begins_with_option(message.substr(at + 1))) {
      text.append(kOption).push_back('`');
      at += kDashes.size();
    } else if (!quoted && begins && message[at] == '-' && begins_with_option(message.substr(at))) {
      text += kOption;
      at += kDashes.size() - 1;
    } else {
      text += message[at];
    }
  }
  return text;
}

}  // namespace woa
