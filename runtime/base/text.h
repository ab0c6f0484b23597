// Texts that others wrote, byte by byte: which are characters, and which a terminal would take for commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace woa {

// What some editors begin a file with: no reader sees it, and no column counts it.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Bytes of the well-formed UTF-8 character at the beginning of `text`, which is not empty; 0 if it is none.
std::size_t utf8_length(std::string_view text) noexcept;
// Whether `text`, which is not empty, begins with a control character of ASCII or of Latin 1, whose U+009B begins a
// command as ESC [ does, or with one of those that set the direction of writing: what is shown is then not what stands
// there.
bool begins_with_control(std::string_view text) noexcept;
// `text` for a terminal: control characters but those in `kept`, and bytes that are no UTF-8, become `?`.
std::string printable(std::string_view text, std::string_view kept = "");

}  // namespace woa
