// Places in a text whose characters a library counts, and replacements for characters that the library refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/report.h"

namespace woa {

// Walks through well-formed UTF-8 text, forwards or backwards, in time linear in the distance.
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
  std::size_t byte_ = 0, character_ = 0;   // the current position
  std::size_t line_ = 0, line_begin_ = 0;  // the current line, and the byte that it begins with
};

// JSON writes a character beyond U+FFFF as two escapes, the halves of UTF-16: `"\ud83d\ude00"`. The YAML library takes
// each half for a character and refuses it. This class gives it `\U0001F600` instead, padded so that every character of
// the text keeps its number, and restores the scalars that the library returns.
class Surrogates {
 public:
  // `text` must outlive this.
  explicit Surrogates(std::string_view text);
  Surrogates(const Surrogates&) = delete;
  Surrogates& operator=(const Surrogates&) = delete;

  // The text for the library.
  [[nodiscard]] std::string_view text() const noexcept { return pairs_.empty() ? text_ : changed_; }
  // Restores a scalar of the library that begins with character number `begin`: removes the fill if `escapes` are read
  // there (in double quotes), else puts the pair back as it was written.
  [[nodiscard]] std::string restored(std::string scalar, std::size_t begin, bool escapes) const;

 private:
  struct Pair {
    std::size_t character;     // its number in the text
    std::string_view written;  // 12 characters
  };
  void change(std::string_view fill);

  std::string_view text_;
  std::string fill_;  // two characters that do not occur in the text
  std::string changed_;
  std::vector<Pair> pairs_;
};

}  // namespace woa
