// Every function of woa.h answers by these: a status, the message behind it, and no exception.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/base/status.h"
#include "woa/woa.h"

namespace woa {

// Keeps the message for woa_message() of this thread, and gives the status's number.
woa_status answer(const Status& status);
woa_status answer(woa_status number, std::string message);

// kInvalid: a pointer that a function needs is null. `what` names it: "plan".
Status need(const void* pointer, const char* what);

// The answer of `body`, a function without arguments that returns a Status.
template <class Body>
woa_status guarded(Body&& body) noexcept {
  try {
    return answer(std::forward<Body>(body)());
  } catch (const std::bad_alloc&) {
    return answer(WOA_EXHAUSTED, "there is no memory left");
  } catch (const std::exception& error) {
    return answer(WOA_INTERNAL, std::string("an exception reached the interface: ") + error.what());
  }
}

// The first error in one line, and how many there are.
Status summary_of(const std::vector<Diagnostic>& diagnostics);

// A text that the caller frees with woa_text_free(). kExhausted.
Status give(const std::string& text, char** out);

}  // namespace woa
