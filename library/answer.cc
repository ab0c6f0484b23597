#include "library/answer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace woa {
namespace {

thread_local std::string last_message;  // NOLINT(cert-err58-cpp): an empty string throws nothing

}  // namespace

woa_status answer(woa_status number, std::string message) {
  if (number != WOA_OK) last_message = std::move(message);
  return number;
}

woa_status answer(const Status& status) {
  return status.ok() ? WOA_OK : answer(static_cast<woa_status>(status.code()), status.message());
}

Status need(const void* pointer, const char* what) {
  return pointer != nullptr ? Status() : Status(Code::kInvalid, std::string("there is no ") + what + ": it is null");
}

Status summary_of(const std::vector<Diagnostic>& diagnostics) {
  const auto is_error = [](const Diagnostic& each) { return each.severity == Severity::kError; };
  const Diagnostic& first = *std::ranges::find_if(diagnostics, is_error);
  const auto more = std::ranges::count_if(diagnostics, is_error) - 1;
  std::string text = first.file;
  if (first.line != 0) text += ":" + std::to_string(first.line) + ":" + std::to_string(first.column);
  text += ": error[" + first.code + "]: " + first.text;
  if (!first.fix.empty()) text += "; " + first.fix;
  if (more > 0) text += " (and " + std::to_string(more) + " more)";
  return {Code::kInvalid, std::move(text)};
}

Status give(const std::string& text, char** out) {
  *out = static_cast<char*>(std::malloc(text.size() + 1));
  if (*out == nullptr) return {Code::kExhausted, "there is no memory for a text of that size"};
  std::memcpy(*out, text.c_str(), text.size() + 1);
  return {};
}

}  // namespace woa

const char* woa_version(void) { return WOA_VERSION; }

const char* woa_status_name(woa_status status) {
  if (status == WOA_BACK_PRESSURED) return "back_pressured";
  if (status == WOA_TIMED_OUT) return "timed_out";
  return woa::to_string(static_cast<woa::Code>(status)).data();  // of literals, which end with a zero
}

const char* woa_message(void) { return woa::last_message.c_str(); }

void woa_text_free(char* text) { std::free(text); }
