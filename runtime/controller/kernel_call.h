// Calls into a kernel's library, which is not ours to trust: what it throws, or a status that the interface does not
// know, becomes an error that says so.
#pragma once

#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/log.h"
#include "runtime/base/status.h"
#include "woa/woa_kernel.h"

namespace woa {

// kBrokenContract for a number that a kernel may not answer.
Code to_code(int status) noexcept;
// The status of `function` ("run"), which answered `answer` and wrote `error`.
Status kernel_status(std::string_view function, int answer, woa_error& error);
// The same for one that threw: kBrokenContract.
Status kernel_threw(std::string_view function, std::string_view what);

// `call(error)` calls the kernel's `function` and returns its status. Ok allocates nothing.
template <class Call>
Status call_kernel(std::string_view function, Call&& call) noexcept {
  woa_error error;
  error.message[0] = '\0';
  try {
    const woa_status answer = std::forward<Call>(call)(error);
    int number = 0;  // a kernel may answer anything; C++ may not look at an enum without such a value
    static_assert(sizeof number == sizeof answer);
    std::memcpy(&number, &answer, sizeof number);
    return number == WOA_OK ? Status() : kernel_status(function, number, error);
  } catch (const std::exception& thrown) {
    return kernel_threw(function, thrown.what());
  } catch (...) {
    return kernel_threw(function, "something that is no std::exception");
  }
}

// The same for functions that answer nothing (retire, destroy): what they throw is logged.
template <class Call>
void release_by_kernel(std::string_view function, std::string_view kernel, Call&& call) noexcept {
  const Status status = call_kernel(function, [&](woa_error&) {
    std::forward<Call>(call)();
    return WOA_OK;
  });
  if (!status.ok()) log(LogLevel::kError, status.with_context("kernel '" + std::string(kernel) + "'").message());
}

}  // namespace woa
