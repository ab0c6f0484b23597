// Classifies characters of texts that others wrote: well-formed, hidden, or commands to a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace woa {

// Some editors begin a file with it: no reader sees it, and no column counts it.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Bytes of the well-formed UTF-8 character at the beginning of `text`, which is not empty; 0 if there is none.
std::size_t utf8_length(std::string_view text) noexcept;
// True if `text`, which is not empty, begins with a control character of ASCII or of Latin 1, whose U+009B begins a
// command as ESC [ does, or with one that sets the direction of writing: a terminal would show something else.
bool begins_with_control(std::string_view text) noexcept;

// A character, or a range of them, that editors do not show, or show like a blank.
struct HiddenCharacter {
  char32_t first = 0, last = 0;  // inclusive
  std::string_view name;         // "no-break space"
  bool blank = false;            // it looks like a blank
  bool in_words = false;         // writing needs it within words or pictures, so it may stand in any text
};
// The entry of the character that `text` begins with, null if that is not hidden. `text` begins with well-formed UTF-8.
const HiddenCharacter* hidden_character(std::string_view text) noexcept;
// "U+00A0": the number of the well-formed character that `text` begins with.
std::string code_point(std::string_view text);
// "U+00A0 (no-break space)": the hidden character that `text` begins with.
std::string name_of(const HiddenCharacter& hidden, std::string_view text);

// `text` for a terminal: control characters except those in `kept`, and bytes that are no UTF-8, become `?`; hidden
// characters become their number, `<U+00A0>`.
std::string printable(std::string_view text, std::string_view kept = "");
// At most `most` bytes of UTF-8 (4 at least): a longer text ends behind a word, with "...".
std::string shortened(std::string_view text, std::size_t most);

// "a, b": the text of each item; empty: there are none.
template <class Items, class Text = std::identity>
std::string list_of(const Items& items, const Text& text = {}) {
  std::string list;
  for (const auto& item : items) list.append(list.empty() ? "" : ", ").append(std::invoke(text, item));
  return list;
}

// "1 stage", "2 stages". `one`: a noun whose plural takes an s.
inline std::string counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace woa
