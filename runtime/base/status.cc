#include "runtime/base/status.h"

#include <string>

namespace woa {

std::string_view to_string(Code code) noexcept {
  switch (code) {
#define WOA_CODE_TEXT(name, number, text) \
  case Code::name: return text;
    WOA_CODES(WOA_CODE_TEXT)
#undef WOA_CODE_TEXT
  }
  return "unknown";
}

namespace {

// Made when the library is loaded.
const Status no_memory_left(Code::kExhausted,
                            "there is no memory left" + what_gives_memory());  // NOLINT(cert-err58-cpp)

}  // namespace

const Status& Status::no_memory() noexcept { return no_memory_left; }

const std::string& Status::no_message() noexcept {
  static const std::string none;
  return none;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return {code_, std::string(context) + ": " + message()};
}

}  // namespace woa
