// One program, several sizes: a conformance suite runs once for each, as WOA_CTS_SIZE in the environment says.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace woa::test {

enum class Size { kDefault, kSmall, kMin };

// kDefault if the environment names none; ends the program for an unknown name.
inline Size chosen_size() {
  const char* text = std::getenv("WOA_CTS_SIZE");
  const std::string_view name = text == nullptr ? "default" : text;
  if (name == "default") return Size::kDefault;
  if (name == "small") return Size::kSmall;
  if (name == "min") return Size::kMin;
  std::fprintf(stderr, "WOA_CTS_SIZE is '%s'; it must be default, small or min\n", text);
  std::exit(2);
}

}  // namespace woa::test
