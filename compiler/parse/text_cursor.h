// Places in a text that a library counts in characters, and what stands for characters that it refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/report.h"

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

// JSON writes a character beyond U+FFFF as two escapes, the halves of UTF-16: `"\ud83d\ude00"`. The YAML library takes
// each for a character of its own and refuses it. This gives it `\U0001F600` instead, filled up so that every character
// of the text keeps its number, and puts right again what the library finds.
class Surrogates {
 public:
  // `text` must outlive this.
  explicit Surrogates(std::string_view text);
  Surrogates(const Surrogates&) = delete;
  Surrogates& operator=(const Surrogates&) = delete;

  // For the library.
  [[nodiscard]] std::string_view text() const noexcept { return pairs_.empty() ? text_ : changed_; }
  // A scalar that the library found there, which begins with character number `begin`: where escapes are read (in
  // double quotes) the fill is taken out, elsewhere the pair stands again as it was written.
  [[nodiscard]] std::string restored(std::string scalar, std::size_t begin, bool escapes) const;

 private:
  struct Pair {
    std::size_t character;     // its number in the text
    std::string_view written;  // 12 characters
  };
  void change(std::string_view fill);

  std::string_view text_;
  std::string fill_;  // two characters that the text has nowhere
  std::string changed_;
  std::vector<Pair> pairs_;
};

}  // namespace woa
