#include "runtime/base/text.h"

#include <algorithm>
#include <array>

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

// True for Unicode's Bidi_Control: U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069.
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
  if (first < 0x80) return first < 0x20 || first == 0x7F;
  if (first == 0xC2) return text.size() > 1 && static_cast<unsigned char>(text[1]) - 0x80U < 0x20U;
  return turns_text_around(text);
}

namespace {

char32_t number_of(std::string_view text) noexcept {
  const std::size_t length = utf8_length(text);
  const auto first = static_cast<unsigned char>(text[0]);
  char32_t number = length < 2 ? first : first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) number = number << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return number;
}

constexpr std::array<HiddenCharacter, 37> kHidden{{
    {0x0085, 0x0085, "next line", false, false},
    {0x00A0, 0x00A0, "no-break space", true, false},
    {0x00AD, 0x00AD, "soft hyphen", false, false},
    {0x034F, 0x034F, "combining grapheme joiner", false, true},
    {0x061C, 0x061C, "Arabic letter mark", false, false},
    {0x115F, 0x1160, "Hangul filler", true, false},
    {0x1680, 0x1680, "Ogham space mark", true, false},
    {0x17B4, 0x17B5, "invisible Khmer vowel", false, true},
    {0x180B, 0x180F, "Mongolian separator", false, true},
    {0x2000, 0x200A, "space of a fixed width", true, false},
    {0x200B, 0x200B, "zero-width space", false, false},
    {0x200C, 0x200C, "zero-width non-joiner", false, true},
    {0x200D, 0x200D, "zero-width joiner", false, true},
    {0x200E, 0x200E, "left-to-right mark", false, false},
    {0x200F, 0x200F, "right-to-left mark", false, false},
    {0x2028, 0x2028, "line separator", false, false},
    {0x2029, 0x2029, "paragraph separator", false, false},
    {0x202A, 0x202E, "direction of writing", false, false},
    {0x202F, 0x202F, "narrow no-break space", true, false},
    {0x205F, 0x205F, "mathematical space", true, false},
    {0x2060, 0x2060, "word joiner", false, false},
    {0x2061, 0x2064, "invisible operator", false, false},
    {0x2065, 0x2065, "unassigned", false, false},
    {0x2066, 0x2069, "direction of writing", false, false},
    {0x206A, 0x206F, "deprecated format character", false, false},
    {0x2800, 0x2800, "blank Braille pattern", true, false},
    {0x3000, 0x3000, "ideographic space", true, false},
    {0x3164, 0x3164, "Hangul filler", true, false},
    {0xFE00, 0xFE0F, "variation selector", false, true},
    {0xFEFF, 0xFEFF, "byte order mark", false, false},
    {0xFFA0, 0xFFA0, "Hangul filler", true, false},
    {0xFFF0, 0xFFF8, "unassigned", false, false},
    {0xFFF9, 0xFFFB, "interlinear annotation", false, false},
    {0x1BCA0, 0x1BCA3, "shorthand format character", false, true},
    {0x1D173, 0x1D17A, "musical format character", false, true},
    {0xE0000, 0xE00FF, "tag", false, true},
    {0xE0100, 0xE01EF, "variation selector", false, true},
}};

}  // namespace

const HiddenCharacter* hidden_character(std::string_view text) noexcept {
  if (static_cast<unsigned char>(text[0]) < 0x80) return nullptr;
  const char32_t number = number_of(text);
  const auto* const found = std::ranges::lower_bound(kHidden, number, {}, &HiddenCharacter::last);
  return found != kHidden.end() && found->first <= number ? found : nullptr;
}

std::string code_point(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::size_t kLeastDigits = 4;
  std::string digits;
  for (char32_t number = number_of(text); number != 0 || digits.size() < kLeastDigits; number >>= 4U)
    digits.insert(digits.begin(), kDigits[number & 0xFU]);
  return "U+" + digits;
}

std::string name_of(const HiddenCharacter& hidden, std::string_view text) {
  return code_point(text) + " (" + std::string(hidden.name) + ")";
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool plain = length != 0 && (!begins_with_control(text) || kept.find(text[0]) != std::string_view::npos);
    const bool hidden = plain && hidden_character(text) != nullptr;
    shown += hidden ? "<" + code_point(text) + ">" : std::string(plain ? text.substr(0, length) : "?");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t most) {
  constexpr std::string_view kMore = "...";
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - kMore.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // within a character
  const std::size_t space = text.substr(0, end + 1).rfind(' ');
  if (space != std::string_view::npos && space > end / 2) end = space;
  return std::string(text.substr(0, end)).append(kMore);
}

}  // namespace woa
