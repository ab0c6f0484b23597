#include "tools/woa/command_line.h"

#include <algorithm>

#include "tools/woa/failure.h"
#include "tools/woa/process.h"
#include "tools/woa/usage_error.h"

namespace woa::tools {
namespace {

int parse_and_run(const std::string& about, const std::vector<AddCommand>& commands,
                  std::vector<std::string> arguments) {
  CLI::App app(about, "woa");
  Action action;
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();  // `--json=no` is a slip, not a wish; `=true` says nothing new
  app.set_version_flag("--version", "woa " WOA_VERSION);
  for (const AddCommand add : commands) add(app, action);
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

}  // namespace woa::tools
