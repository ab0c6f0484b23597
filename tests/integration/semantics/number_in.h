// The number of graphs or runs of a test, from a variable of the environment. WOA_SIZES=small, which `make test` sets
// and builds with sanitizers have, chooses the smaller one of those that a test names.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "tests/support/catch.h"

namespace woa::test {

inline bool small_sizes() {
  const char* const sizes = std::getenv("WOA_SIZES");
  return sizes != nullptr && std::string_view(sizes) == "small";
}

// A variable that is set and no whole number above 0 fails the test, which would otherwise try nothing and pass.
inline int number_in(const char* variable, int usual, int small) {
  const char* const given = std::getenv(variable);
  if (given == nullptr) return small_sizes() ? small : usual;
  const std::string_view text(given);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  REQUIRE((error == std::errc() && end == text.data() + text.size() && number > 0));
  return number;
}

}  // namespace woa::test
