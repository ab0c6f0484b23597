// Libraries that are loaded while the program runs, so that it starts without them.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/status.h"

namespace woa {

// Loads a shared library: a path, or a name that the system searches for (dlopen(3)). Its symbols stay its own; the
// caller may close it with dlclose(). Any thread. kUnavailable: the loader's reason and `advice`. kExhausted: the same,
// with a limit on open files that is probably the cause.
Result<void*> load_library(const std::string& file, std::string_view advice);

}  // namespace woa
