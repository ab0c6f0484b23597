// Skipping with a reason, and not being allowed to. A test program whose back-end is absent calls skip(): exit code 77,
// which ctest shows as skipped; with the name listed in WOA_REQUIRE (comma-separated) it is a failure instead.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace woa::test {

inline bool required(std::string_view name) {
  const char* list = std::getenv("WOA_REQUIRE");
  const auto between_commas = [](std::string_view text) { return std::string(",").append(text).append(","); };
  return between_commas(list != nullptr ? list : "").find(between_commas(name)) != std::string::npos;
}

// Ends the program: 77, or 1 when `name` is required.
[[noreturn]] inline void skip(std::string_view name, std::string_view reason) {
  const bool failed = required(name);
  std::printf("%s: %.*s is unavailable: %.*s\n", failed ? "FAILED (WOA_REQUIRE)" : "skipped",
              static_cast<int>(name.size()), name.data(), static_cast<int>(reason.size()), reason.data());
  std::fflush(stdout);
  std::_Exit(failed ? 1 : 77);
}

}  // namespace woa::test
