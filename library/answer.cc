#include "library/answer.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "library/option_names.h"

namespace woa {
namespace {

// The last failure of this thread, whose message woa_message() gives. Not a thread-local object with a destructor:
// where there is no memory to register that, glibc ends the program.
thread_local Status* last_failure = nullptr;
thread_local bool no_memory = false;  // not even for that

pthread_key_t make_key() noexcept {
  pthread_key_t key = 0;
  (void)::pthread_key_create(&key, [](void* failure) { delete static_cast<Status*>(failure); });
  return key;
}
const pthread_key_t key_of_failure = make_key();  // frees it when the thread ends

// Null: there is no memory.
Status* failure_of_this_thread() noexcept {
  if (last_failure != nullptr) return last_failure;
  auto made = std::unique_ptr<Status>(new (std::nothrow) Status());
  if (made != nullptr && ::pthread_setspecific(key_of_failure, made.get()) == 0) last_failure = made.release();
  return last_failure;
}

}  // namespace

woa_status answer(woa_status number, const Status& why) noexcept {
  Status* const failure = failure_of_this_thread();
  no_memory = failure == nullptr;
  if (failure != nullptr) *failure = why;
  return number;
}

woa_status answer(const Status& status) noexcept {
  if (status.ok()) return WOA_OK;
  const auto named = [&] { return Status(status.code(), by_option_names(status.message())); };
  return answer(static_cast<woa_status>(status.code()), if_memory(named, status));
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

Status give(const nlohmann::json& value, char** out) {
  if (out == nullptr) return {};
  return give(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), out);
}

}  // namespace woa

const char* woa_version(void) { return WOA_VERSION; }

const char* woa_status_name(woa_status status) {
  if (status == WOA_BACK_PRESSURED) return "back_pressured";
  if (status == WOA_TIMED_OUT) return "timed_out";
  return woa::to_string(static_cast<woa::Code>(status)).data();  // of literals, which end with a zero
}

const char* woa_message(void) {
  if (woa::no_memory) return woa::Status::no_memory().message().c_str();
  return woa::last_failure == nullptr ? "" : woa::last_failure->message().c_str();
}

void woa_text_free(char* text) { std::free(text); }
