#include "tools/woa/command_line.h"

#include <algorithm>
#include <vector>

#include "compiler/compiler.h"
#include "tools/woa/completion.h"
#include "tools/woa/failure.h"
#include "tools/woa/manual.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

std::string name_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent == nullptr ? "" : name_of(*parent) + " ") + command.get_name();
}

// Answers --complete or --manual. `arguments` then names a command to run if the answer is another program's.
bool described(const CLI::App& app, std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments[0] != kComplete && arguments[0] != kManual)) return false;
  const bool completes = arguments[0] == kComplete;
  const CLI::App* const command = arguments.size() > 1 ? find_command(app, arguments[1]) : nullptr;
  if (command != nullptr && command->get_prefix_command() && arguments.size() > (completes ? 2 : 1)) {
    std::swap(arguments[0], arguments[1]);
    return false;
  }
  if (!completes && command == nullptr && arguments.size() > 1) {  // refused as it is without --manual
    arguments.erase(arguments.begin());
    return false;
  }
  const std::string text = completes            ? completions(app, {arguments.begin() + 1, arguments.end()})
                           : command == nullptr ? manual_page(app, app.get_name())
                                                : manual_page(*command, name_of(*command));
  std::fputs(text.c_str(), answer_stream());  // --json may be a word to complete
  return true;
}

int parse_and_run(const std::string& about, const std::vector<AddCommand>& commands,
                  std::vector<std::string> arguments) {
  CLI::App app(about, "woa");
  Action action;
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();  // `--json=no` is a slip, not a wish; `=true` says nothing new
  app.set_version_flag("--version", "woa " WOA_VERSION);
  for (const AddCommand add : commands) add(app, action);
  if (described(app, arguments)) return kDone;
  const bool json = wants_json(arguments);
  if (!arguments.empty() && !arguments[0].starts_with('-') && find_command(app, arguments[0]) == nullptr)
    return fail({Code::kInvalid, unknown_command(app, arguments[0])}, kUsage, json);
  try {
    std::ranges::reverse(arguments);  // the order that CLI11 takes them in
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail({Code::kInvalid, usage_error(app, error)}, kUsage, json);
  }
  if (const std::string empty = empty_value(app); !empty.empty()) return fail({Code::kInvalid, empty}, kUsage, json);
  return action();
}

}  // namespace

int run_command_line(const std::string& about, const std::vector<AddCommand>& commands,
                     std::vector<std::string> arguments) {
  return run_process(arguments, [&] { return parse_and_run(about, commands, arguments); });
}

namespace {

// The innermost command that was being read.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::string did_you_mean(const std::string& given, const std::vector<std::string>& names) {
  const std::string near = nearest(given, names);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string unknown_argument(const CLI::App& command, const std::string& given) {
  if (given.substr(0, 1) != "-") return "'" + given + "' is one argument too many";
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return "there is no option '" + given + "'" + did_you_mean(given.substr(0, given.find('=')), names);
}

// Rewords CLI11's messages about how often an option or its value is given.
std::string in_our_words(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  if (text.find(": At Most 1 required but received ") != std::string::npos)
    return option + ": it is given more than once";
  if (text.find(": 1 required ") != std::string::npos && text.ends_with(" missing"))
    return option + ": its value is missing";
  if (const std::size_t end = text.find(" was given a disallowed flag override"); end != std::string::npos)
    return "--" + text.substr(0, end) + ": it takes no value";
  return text == "A subcommand is required" ? "a command is missing" : text;
}

}  // namespace

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return commands.empty() ? nullptr : commands.front();
}

std::string unknown_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); }))
    names.push_back(command->get_name());
  const std::string near = did_you_mean(name, names);
  return "there is no command '" + name + "'" + (near.empty() ? ";" : near) + " `" + name_of(app) +
         " --help` lists them";
}

std::string empty_value(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  for (const CLI::Option* option : command.get_options())
    if (std::ranges::find(option->results(), "") != option->results().end())
      return option->get_name() + ": expected something, got an empty text; see `" + name_of(command) + " --help`";
  return "";
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::vector<std::string> left = app.remaining(true);
  const auto option = std::ranges::find_if(left, [](const std::string& given) { return given.substr(0, 1) == "-"; });
  const bool has_commands = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (!left.empty() && option == left.end() && has_commands) return unknown_command(command, left.front());
  std::string text = in_our_words(error.what());
  if (!left.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    text = unknown_argument(command, option == left.end() ? left.front() : *option);
  return text + (text.back() == '?' ? " see `" : "; see `") + name_of(command) + " --help`";
}

}  // namespace woa::tools
