// Tests of what a double of a library does wrong: each case has a process of its own, since the double reads its words
// once.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "runtime/base/child_process.h"
#include "runtime/base/status.h"
#include "tests/support/catch.h"

namespace woa::test {

inline constexpr std::uint64_t kPatienceNs = 60'000'000'000;

// The text that `work` ends with in a child process, where `variable` is `words`.
inline std::string in_child_with(const char* variable, const std::string& words,
                                 const std::function<std::string()>& work) {
  const auto told = run_in_child(
      [&] {
        ::setenv(variable, words.c_str(), 1);
        return work();
      },
      kPatienceNs);
  INFO(told.status().message());
  REQUIRE(told.ok());
  return *told;
}

inline std::string text_of(const Status& status) {
  return std::string(to_string(status.code())) + ": " + status.message();
}

inline bool contains(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

}  // namespace woa::test
