// Starts threads, which the system may refuse.
#pragma once

#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/base/status.h"

namespace woa {

// Makes `thread` (a std::thread or std::jthread) run `work`. kExhausted: `what` could not be done, since a limit on
// threads is reached; the message names the limit and how to raise it. `thread` is then unchanged.
template <class Thread, class Work>
Status start_thread(Thread& thread, std::string_view what, Work&& work) {
  try {
    thread = Thread(std::forward<Work>(work));
  } catch (const std::system_error& error) {
    return limit_reached(what, error.code().value());
  }
  return {};
}

}  // namespace woa
