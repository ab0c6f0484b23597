// woa lsp: a language server for editors, on stdin and stdout.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "tools/woa/commands.h"
#include "tools/woa/environment.h"
#include "tools/woa/failure.h"
#include "tools/woa/language_server.h"
#include "tools/woa/machine_choice.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr std::size_t kMostMessageBytes = 64U << 20;  // of a message
constexpr int kParseError = -32700;                   // JSON-RPC 2.0

// Messages, each behind its header ("Content-Length: N" and an empty line).
class Messages {
 public:
  // Whether next() has something to read.
  [[nodiscard]] bool waiting() const {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return !bytes_.empty() || ::poll(&input, 1, 0) > 0;
  }
  // The body of the next one. kUnavailable: there are no more. kInvalid: this is no message.
  [[nodiscard]] Result<std::string> next() {
    std::size_t header = 0;
    while ((header = bytes_.find("\r\n\r\n")) == std::string::npos) {
      if (bytes_.size() > kMostHeader) return {Code::kInvalid, "a message without a header"};
      if (!read_more()) return {Code::kUnavailable, "the client has closed its end"};
    }
    const std::size_t length = length_in(bytes_.substr(0, header));
    if (length == 0 || length > kMostMessageBytes) return {Code::kInvalid, "a header without a length that can be"};
    const std::size_t begin = header + 4;
    while (bytes_.size() < begin + length)
      if (!read_more()) return {Code::kUnavailable, "the client has closed its end within a message"};
    std::string body = bytes_.substr(begin, length);
    bytes_.erase(0, begin + length);
    return body;
  }

 private:
  static constexpr std::size_t kMostHeader = 4096;

  static std::size_t length_in(const std::string& header) {
    constexpr std::string_view kName = "Content-Length: ";
    const std::size_t at = header.find(kName);
    std::size_t length = 0;
    if (at == std::string::npos) return 0;
    std::from_chars(header.data() + at + kName.size(), header.data() + header.size(), length);
    return length;
  }
  bool read_more() {
    std::array<char, 65536> part{};
    ssize_t count = 0;
    do count = ::read(STDIN_FILENO, part.data(), part.size());
    while (count < 0 && errno == EINTR);
    if (count > 0) bytes_.append(part.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  std::string bytes_;
};

void send(const json& message) {
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  std::printf("Content-Length: %zu\r\n\r\n%s", text.size(), text.c_str());
  std::fflush(stdout);
}

// An editor shows what is wrong in a file, so that a damaged one may be mended there; without any the server would find
// nothing wrong that it is asked to look for.
Status check_machine_file(const std::string& machine) {
  if (machine.empty()) return {};
  const MachineFile file = read_machine_file(machine);
  const bool unread =
      std::ranges::any_of(file.diagnostics, [](const Diagnostic& problem) { return problem.line == 0; });
  return unread ? Status(Code::kInvalid, "--machine: " + first_problem(file)) : Status();
}

// While the client types faster than a graph compiles, only what it has become is compiled.
int serve_editor(const std::string& machine) {
  if (const Status readable = check_machine_file(machine); !readable.ok()) return fail(readable, kFailed, false);
  CompileOptions options;
  options.kernel_path = kernel_path();
  options.machine = machine_file(machine);
  LanguageServer server(std::move(options), send);
  Messages messages;
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
  CLI::App& command = *app.add_subcommand(
      "lsp", "A language server for editors, on stdin and stdout: what `woa check` says while a graph is edited");
  auto machine = std::make_shared<std::string>();
  command.add_option("--machine", *machine, "Machine file (docs/machine.md; default: what `woa calibrate` wrote)")
      ->type_name("FILE");
  command.add_flag_callback(
      "--stdio", [] {}, "Nothing else is possible; some clients say it");
  command.callback([machine, &action] { action = [machine] { return serve_editor(*machine); }; });
}

}  // namespace woa::tools
