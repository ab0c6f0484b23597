#include "tools/woa/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "tools/woa/failure.h"
#include "tools/woa/usage_error.h"

namespace woa::tools {
namespace {

// For errors that come before the options are read.
bool wants_json(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments,
                             [](const std::string& text) { return text == "--json" || text == "--json=true"; });
}

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

// Who starts a program with its stdout closed would have the next file that is opened in its place, and the output in
// that. What is opened here fails as a closed one does.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1)
      (void)::open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

// An answer that got lost is a failure, whatever the command did.
int finish(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  print_error({Code::kUnavailable, "what this command has to say could not be written to stdout"});
  return exit_code == kDone ? kFailed : exit_code;
}

}  // namespace

int run_command_line(const std::string& about, const std::vector<AddCommand>& commands,
                     std::vector<std::string> arguments) {
  try {
    occupy_closed_descriptors();
    return finish(parse_and_run(about, commands, std::move(arguments)));
  } catch (const std::exception& error) {  // memory exhausted, or a bug
    std::fprintf(stderr, "woa: internal error: %s\n", error.what());
    return kFailed;
  }
}

}  // namespace woa::tools
