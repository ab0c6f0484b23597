// Log lines on stderr. Never on a data path; never a secret. `log.cc` alone knows the logging library.
//
// The function that decides what an error means logs it, once; a function that only passes a Status up does not.
#pragma once

#include <string_view>

namespace woa {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// Writes one line, prefixed with the level and the process's role (see set_log_name). Drops lines below kWarning. Any
// thread; may block on stderr.
void log(LogLevel level, std::string_view message);

// Names this process in its log lines, for instance "cpu:1". Call once at start.
void set_log_name(std::string_view name);

}  // namespace woa
