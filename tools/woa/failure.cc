#include "tools/woa/failure.h"

#include <atomic>
#include <cstdio>
#include <set>
#include <string>

#include "library/run_report.h"
#include "runtime/base/text.h"
#include "tools/woa/commands.h"

namespace woa::tools {

using nlohmann::json;

namespace {
std::FILE* other_answer_stream = nullptr;
std::atomic<bool> was_answered{false};

// A line that a message has within it is not taken for one of its own, whatever a file's name says.
std::string indented(std::string_view message) {
  std::string lines = printable(message, "\n");
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1))
    lines.insert(at + 1, "  ");
  return lines;
}

}  // namespace

std::string printable_lines(std::string_view text) { return printable(text, "\n"); }

void print_error(const Status& status) {
  std::fprintf(stderr, "woa: error[%s]: %s\n", std::string(to_string(status.code())).c_str(),
               indented(status.message()).c_str());
}

void print_warning(std::string_view text) { std::fprintf(stderr, "woa: warning: %s\n", indented(text).c_str()); }

void print_warning_once(const std::string& text) {
  static std::set<std::string> told;
  if (told.insert(text).second) print_warning(text);
}

std::FILE* answer_stream() { return other_answer_stream == nullptr ? stdout : other_answer_stream; }
void set_answer_stream(std::FILE* stream) { other_answer_stream = stream; }
bool has_answered() { return was_answered.load(); }

void print_json(const json& object) {
  was_answered.store(true);
  std::fprintf(answer_stream(), "%s\n", object.dump(2, ' ', false, json::error_handler_t::replace).c_str());
  std::fflush(answer_stream());  // before anything ends this process
}

int fail(const Status& status, int exit_code, bool as_json) {
  print_error(status);
  if (as_json) print_json({{"ok", false}, {"error", error_json(status)}});
  return exit_code;
}

int code_before_run(const Status& status) noexcept {
  if (status.code() == Code::kInvalid) return kUsage;
  return status.code() == Code::kExhausted ? kFailed : kUnavailable;
}

}  // namespace woa::tools
