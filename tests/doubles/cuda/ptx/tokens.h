// PTX as tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace woa::ptx {

struct Token {
  enum Kind : std::uint8_t { kWord, kNumber, kString, kMark, kEnd };
  Kind kind = kEnd;
  std::string_view text;  // a word with its dots: "ld.global.u32", "%tid.x", ".reg"; a mark is one character
  std::uint32_t line = 0;
};

// Without comments; the last one is kEnd. Text that is no token becomes a kMark, so that the parser names it.
std::vector<Token> tokens(std::string_view text);

}  // namespace woa::ptx
