// What to tell a user when the system refuses a descriptor, a process, a thread or memory.
#pragma once

#include <string_view>

#include "runtime/base/status.h"

namespace woa {

// Whether `error` (errno value) says that this process, its user or the system has too many descriptors.
bool is_limit(int error);
// kExhausted: `what` could not be had, why (errno value `error`), which limit was met and how to raise it.
Status limit_reached(std::string_view what, int error);

}  // namespace woa
