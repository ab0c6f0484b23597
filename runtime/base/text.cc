#include "runtime/base/text.h"

#include <algorithm>

namespace woa {

std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool outside = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || outside ? 0 : length;
}

namespace {

// Those that Unicode calls Bidi_Control: U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069.
bool turns_text_around(std::string_view text) noexcept {
  if (text.starts_with("\xd8\x9c")) return true;
  if (!text.starts_with("\xe2\x80") && !text.starts_with("\xe2\x81")) return false;
  const unsigned char third = text.size() > 2 ? static_cast<unsigned char>(text[2]) : 0;
  if (text[1] == '\x81') return third >= 0xA6 && third <= 0xA9;
  return third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE);
}

}  // namespace

bool begins_with_control(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20 || first == 0x7F) return true;
  if (first == 0xC2) return text.size() > 1 && static_cast<unsigned char>(text[1]) - 0x80U < 0x20U;
  return turns_text_around(text);
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool plain = length != 0 && (!begins_with_control(text) || kept.find(text[0]) != std::string_view::npos);
    shown += plain ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace woa
