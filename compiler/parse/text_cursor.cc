#include "compiler/parse/text_cursor.h"

#include <algorithm>

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

}  // namespace woa
