// JSON writes a character beyond U+FFFF as two escapes, the halves of UTF-16: `"\ud83d\ude00"`. The YAML library takes
// each for a character of its own and refuses it. So it is given `\U0001F600` instead, filled up so that every
// character of the text keeps its number, and what it finds is put right again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace woa {

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
