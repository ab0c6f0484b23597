// Every function of woa.h answers by these: a status, the message behind it, and no exception.
#pragma once

#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/base/status.h"
#include "woa/woa.h"

namespace woa {

// Keeps the message for woa_message() of this thread, and gives the status's number, or one that no Code has. A Status
// may speak of the command line's options: by_option_names().
woa_status answer(const Status& status) noexcept;
woa_status answer(woa_status number, const Status& why) noexcept;

// kInvalid: a pointer that a function needs is null. `what` names it: "plan".
Status need(const void* pointer, const char* what);

// The answer of `body`, a function without arguments that returns a Status.
template <class Body>
woa_status guarded(Body&& body) noexcept {
  return answer(or_no_memory([&]() -> Status {
    try {
      return std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      return {Code::kInternal, std::string("an exception reached the interface: ") + error.what()};
    }
  }));
}

// The first error in one line, and how many there are.
Status summary_of(const std::vector<Diagnostic>& diagnostics);

// A text that the caller frees with woa_text_free(). kExhausted.
Status give(const std::string& text, char** out);
// The same for a value's JSON text in one line. `out` may be null: nobody wants it.
Status give(const nlohmann::json& value, char** out);

}  // namespace woa
