// Skipping with a reason, and not being allowed to. A test whose back-end is absent calls skip(), which ends the test
// case; with the name listed in WOA_REQUIRE (comma-separated) the test case fails instead. A test program all of whose
// test cases were skipped ends with exit code 77, which ctest shows as skipped (catch_main.cc).
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

// Prints that `name` is missing, and whether that is a failure.
inline void report_unavailable(std::string_view name, std::string_view reason) {
  std::printf("%s: %.*s is unavailable: %.*s\n", required(name) ? "FAILED (WOA_REQUIRE)" : "skipped",
              static_cast<int>(name.size()), name.data(), static_cast<int>(reason.size()), reason.data());
  std::fflush(stdout);
}

// Ends the running test case. Called in the test's own thread and process only.
[[noreturn]] void skip(std::string_view name, std::string_view reason);

}  // namespace woa::test
