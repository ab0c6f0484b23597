#include "tools/woa/manual.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

namespace woa::tools {
namespace {

// Text for roff, in which a hyphen, a quote or a backslash may stand for something else, and a dot begins a request.
std::string escaped(const std::string& text) {
  static const std::map<char, const char*> kEscapes{{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                    {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string out = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    const auto found = kEscapes.find(c);
    found == kEscapes.end() ? out += c : out += found->second;
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }

// Paragraphs, with indented lines kept as they are.
std::string body(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  bool verbatim = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (indented != verbatim && !line.empty()) {
      out += indented ? ".nf\n" : ".fi\n";
      verbatim = indented;
    }
    out += (line.empty() && !verbatim ? ".PP" : escaped(line)) + "\n";
  }
  return out + (verbatim ? ".fi\n" : "");
}

std::string section(const std::string& title, const std::string& text) {
  return text.empty() ? "" : ".SH " + title + "\n" + text;
}

std::string option_entry(const CLI::Option& option, bool positional) {
  const CLI::Formatter words;
  return ".TP\n" + bold(words.make_option_name(&option, positional)) + escaped(words.make_option_opts(&option)) + "\n" +
         escaped(words.make_option_desc(&option)) + "\n";
}

std::string positionals(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && !option->get_group().empty()) out += option_entry(*option, true);
  return out;
}

std::string options(const CLI::App& command) {
  std::string out;
  for (const std::string& group : command.get_groups()) {
    if (group.empty()) continue;  // hidden
    std::string entries;
    for (const CLI::Option* option : command.get_options())
      if (!option->get_positional() && option->get_group() == group) entries += option_entry(*option, false);
    if (!entries.empty() && group != "Options") out += ".SS " + escaped(group) + "\n";
    out += entries;
  }
  return out;
}

std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

// The commands of a program have pages of their own, those of `woa bench` stand in its page.
std::string commands(const CLI::App& command, bool own_pages) {
  std::string out;
  for (const CLI::App* each : shown_commands(command)) {
    if (own_pages) {
      out += ".TP\n" + bold("woa-" + each->get_name()) + "(1)\n" + escaped(each->get_description()) + "\n";
    } else {
      out += ".SS " + escaped(each->get_name()) + "\n" + body(each->get_description()) + positionals(*each) +
             options(*each);
      if (each->get_footer() != command.get_footer())
        out += ".PP\n" + body(each->get_footer());  // not an inherited one
    }
  }
  return out;
}

constexpr const char* kExitStatus =
    ".TP\n0\ndone\n.TP\n1\nthe input or the run failed\n.TP\n2\nbad usage\n"
    ".TP\n3\na required device or peer is unavailable\n.TP\n130, 143\nended in order by Ctrl\\-C or SIGTERM\n";

}  // namespace

std::string manual_page(const CLI::App& command, const std::string& name) {
  std::string page = name;
  std::ranges::replace(page, ' ', '-');
  std::string title = page;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });

  const std::string description = command.get_description();
  const std::size_t end = std::min(description.find('\n'), description.size());
  std::string summary = description.substr(0, end);
  if (summary.starts_with(page + " - ")) summary = summary.substr(page.size() + 3);

  std::string usage = CLI::Formatter().make_usage(&command, name);
  usage = usage.substr(usage.find(name) + name.size());
  usage = usage.substr(0, usage.find('\n'));

  const bool is_program = command.get_parent() == nullptr;
  return ".TH " + escaped(title) + " 1 \"\" \"woa " WOA_VERSION "\" \"WOA\"\n" +
         section("NAME", escaped(page) + " \\- " + escaped(summary) + "\n") +
         section("SYNOPSIS", bold(name) + escaped(usage) + "\n") + section("ARGUMENTS", positionals(command)) +
         section("OPTIONS", options(command)) + section("COMMANDS", commands(command, is_program)) +
         section("DESCRIPTION", body(command.get_footer())) + section("EXAMPLES", body(description.substr(end))) +
         section("EXIT STATUS", kExitStatus) + (is_program ? "" : section("SEE ALSO", bold("woa") + "(1)\n"));
}

}  // namespace woa::tools
