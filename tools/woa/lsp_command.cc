// woa lsp: a language server for editors, on stdin and stdout.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "library/environment.h"
#include "library/machine_choice.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/language_server.h"
#include "tools/woa/lsp_messages.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr int kParseError = -32700;  // JSON-RPC 2.0

void send(const json& message) {
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  std::printf("Content-Length: %zu\r\n\r\n%s", text.size(), text.c_str());
  std::fflush(stdout);
}

// A damaged machine file is accepted, since the editor shows its problems for mending. One that cannot be read is an
// error: the server would find none of the problems that it is asked to look for.
Status check_machine_file(const std::string& machine) {
  if (machine.empty()) return {};
  const MachineFile file = read_machine_file(machine);
  const bool unread =
      std::ranges::any_of(file.diagnostics, [](const Diagnostic& problem) { return problem.line == 0; });
  return unread ? Status(Code::kInvalid, "--machine: " + first_problem(file)) : Status();
}

// While the client types faster than a graph compiles, only the latest text is compiled.
int serve_editor(const std::string& machine) {
  if (const Status readable = check_machine_file(machine); !readable.ok()) return fail(readable, kFailed, false);
  CompileOptions options;
  options.kernel_path = kernel_path();
  options.machine = machine_file(machine, print_warning_once);
  options.warn_of_unbuilt = true;
  LanguageServer server(std::move(options), send);
  LspMessages messages;
  while (!server.ended()) {
    if (server.has_changes() && !messages.waiting()) server.check();
    const auto body = messages.next();
    if (!body.ok()) return fail(body.status(), kFailed, false);
    const json message = json::parse(*body, nullptr, false);
    if (message.is_discarded())
      send({{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", {{"code", kParseError}, {"message", "this is not JSON"}}}});
    else
      server.take(message);
  }
  return *server.ended();
}

}  // namespace

void add_lsp(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("lsp", "Language server: problems of `woa check` while you edit");
  auto machine = std::make_shared<std::string>();
  command.add_option("--machine", *machine, "Machine file (docs/machine.md; default: the file of `woa calibrate`)")
      ->type_name("FILE");
  command.add_flag_callback(
      "--stdio", [] {}, "Accepted for clients that pass it; stdio is the only mode");
  command.callback([machine, &action] { action = [machine] { return serve_editor(*machine); }; });
}

}  // namespace woa::tools
