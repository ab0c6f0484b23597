#include "runtime/base/status.h"

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

const std::string& Status::no_message() noexcept {
  static const std::string none;
  return none;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return {code_, std::string(context) + ": " + message()};
}

}  // namespace woa
