// Tests the message of a status.
#pragma once

#include <string_view>

#include "runtime/base/status.h"

namespace woa::test {

// True if its message holds this text.
inline bool says(const Status& status, std::string_view text) {
  return status.message().find(text) != std::string_view::npos;
}

inline bool says(const Status& status, Code code, std::string_view text) {
  return status.code() == code && says(status, text);
}

}  // namespace woa::test
