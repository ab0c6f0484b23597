// Places in a text that a library counts in characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compiler/report.h"

namespace woa {

// Walks through well-formed UTF-8 text, forwards or backwards; the way takes the time.
class TextCursor {
 public:
  // A byte order mark is not counted.
  explicit TextCursor(std::string_view text) noexcept;
  // The place of the character of that number, from 0; the end if there are fewer.
  Place at(std::size_t character, std::uint32_t source, std::size_t length);
  // The text from the character of one number to that of another, or to the end.
  std::string_view between(std::size_t first, std::size_t last);
  // The place of the character with that byte of the text.
  Place at_byte(std::size_t byte, std::uint32_t source);

 private:
  void go_to(std::size_t character) noexcept;
  void forwards() noexcept;
  void backwards() noexcept;

  std::string_view text_;
  std::size_t first_ = 0;                  // byte of character 0
  std::size_t byte_ = 0, character_ = 0;   // where it is
  std::size_t line_ = 0, line_begin_ = 0;  // of it, and the byte that the line begins with
};

}  // namespace woa
