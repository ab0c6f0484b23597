#include "compiler/parse/text_cursor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "runtime/base/text.h"

namespace woa {
TextCursor::TextCursor(std::string_view text) noexcept : text_(text) {
  first_ = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  byte_ = first_;
}

void TextCursor::forwards() noexcept {
  const bool line_ends = text_[byte_] == '\n';
  do {
    ++byte_;
  } while (byte_ < text_.size() && (static_cast<unsigned char>(text_[byte_]) & 0xC0) == 0x80);
  ++character_;
  if (!line_ends) return;
  ++line_;
  line_begin_ = byte_;
}

void TextCursor::backwards() noexcept {
  do {
    --byte_;
  } while ((static_cast<unsigned char>(text_[byte_]) & 0xC0) == 0x80);
  --character_;
  if (text_[byte_] != '\n') return;
  --line_;
  const std::size_t before = byte_ == 0 ? std::string_view::npos : text_.rfind('\n', byte_ - 1);
  line_begin_ = before == std::string_view::npos ? 0 : before + 1;
}

void TextCursor::go_to(std::size_t character) noexcept {
  while (character_ < character && byte_ < text_.size()) forwards();
  while (character_ > character) backwards();
}

std::string_view TextCursor::between(std::size_t first, std::size_t last) {
  go_to(last);
  const std::size_t end = byte_;
  go_to(first);
  return text_.substr(byte_, std::max(end, byte_) - byte_);
}

Place TextCursor::at(std::size_t character, std::uint32_t source, std::size_t length) {
  go_to(character);
  return {source, static_cast<std::uint32_t>(line_ + 1), static_cast<std::uint32_t>(byte_ - line_begin_ + 1),
          static_cast<std::uint32_t>(length)};
}

Place TextCursor::at_byte(std::size_t byte, std::uint32_t source) {
  while (byte_ > byte && character_ > 0) backwards();
  while (byte_ < byte && byte_ < text_.size()) forwards();
  return at(character_, source, 1);
}

namespace {

constexpr std::size_t kEscape = 6, kPair = 12, kLongEscape = 10;  // `\ud83d`, two of them, `\U0001F600`

// The number of an escape `\uXXXX` at the beginning of `text`.
std::optional<std::uint32_t> escaped(std::string_view text) {
  if (text.size() < kEscape || !text.starts_with("\\u")) return std::nullopt;
  std::uint32_t number = 0;
  const char* const last = text.data() + kEscape;
  const auto [end, error] = std::from_chars(text.data() + 2, last, number, 16);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

// The character that the two escapes at the beginning of `text` encode.
std::optional<std::uint32_t> pair_at(std::string_view text) {
  const auto high = escaped(text);
  if (!high || *high < 0xD800 || *high > 0xDBFF) return std::nullopt;
  const auto low = escaped(text.substr(kEscape));
  if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
  return 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
}

// A private-use character that the text contains neither itself nor as an escape; empty if there is none.
std::string unused_character(std::string_view text) {
  constexpr unsigned kCandidates = 100;  // U+E000 to U+E099, without the hexadecimal digits A to F
  for (unsigned n = 0; n < kCandidates; ++n) {
    const unsigned digits = n / 10 * 16 + n % 10;
    std::string character = "\xEE";
    character += static_cast<char>(0x80 + (digits >> 6));
    character += static_cast<char>(0x80 + (digits & 0x3F));
    std::array<char, 8> hexadecimal{};
    std::snprintf(hexadecimal.data(), hexadecimal.size(), "e0%02u", n);
    const std::string_view small = hexadecimal.data();
    const std::string large = "E" + std::string(small.substr(1));
    const auto absent = [&](std::string_view part) { return text.find(part) == std::string_view::npos; };
    if (absent(character) && absent(small) && absent(large)) return character;
  }
  return "";
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

Surrogates::Surrogates(std::string_view text) : text_(text) {
  if (text.find("\\u") == std::string_view::npos) return;
  std::size_t character = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    if (text[i] == '\\') {
      const bool pair = pair_at(text.substr(i)).has_value();
      if (pair) pairs_.push_back({character, text.substr(i, kPair)});
      length = pair ? kPair : std::min<std::size_t>(2, text.size() - i);  // an escaped one begins no escape
    }
    for (const std::size_t end = i + length; i < end; ++i) character += begins_character(text[i]) ? 1 : 0;
  }
  if (pairs_.empty()) return;
  const std::string unused = unused_character(text);
  if (unused.empty()) {
    pairs_.clear();  // the library will refuse the first of them
    return;
  }
  fill_ = unused + unused;
  change(fill_);
}

void Surrogates::change(std::string_view fill) {
  std::size_t done = 0;
  for (const Pair& pair : pairs_) {
    const auto at = static_cast<std::size_t>(pair.written.data() - text_.data());
    std::array<char, kLongEscape + 1> escape{};
    std::snprintf(escape.data(), escape.size(), "\\U%08X", static_cast<unsigned>(*pair_at(pair.written)));
    changed_.append(text_.substr(done, at - done)).append(escape.data()).append(fill);
    done = at + kPair;
  }
  changed_.append(text_.substr(done));
}

std::string Surrogates::restored(std::string scalar, std::size_t begin, bool escapes) const {
  if (pairs_.empty()) return scalar;
  auto pair = std::ranges::lower_bound(pairs_, begin, {}, &Pair::character);
  for (std::size_t at = 0; (at = scalar.find(fill_, at)) != std::string::npos && pair != pairs_.end(); ++pair) {
    if (escapes) {
      scalar.erase(at, fill_.size());
    } else {
      scalar.replace(at - kLongEscape, kLongEscape + fill_.size(), pair->written);
    }
  }
  return scalar;
}

}  // namespace woa
