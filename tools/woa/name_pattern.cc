#include "tools/woa/name_pattern.h"

#include <algorithm>

#include "runtime/base/scalar.h"

namespace woa::tools {
namespace {

constexpr std::size_t kMostDigits = 20;  // enough for a number of 64 bits

// The placeholder at the start of `text`, such as %05d: the `%`, digits and one character.
std::string_view placeholder(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789", 1);
  return text.substr(0, end == std::string_view::npos ? end : end + 1);
}

// The digits of a number: 4 for "%04i", 1 for "%i", 0 for anything else.
std::size_t digits_of(std::string_view placeholder) {
  if (placeholder == "%i") return 1;
  if (!placeholder.starts_with("%0") || !placeholder.ends_with("i")) return 0;
  const std::size_t digits = parse_digits(placeholder.substr(2, placeholder.size() - 3)).value_or(0);
  return digits <= kMostDigits ? digits : 0;
}

Status unknown(std::string_view found) {
  const std::size_t width = found.find_first_of("123456789");
  const std::string digits(width == std::string_view::npos ? "4" : found.substr(width, found.size() - 1 - width));
  return {Code::kInvalid, "'" + std::string(found) + "' stands for nothing: write %i for the instance's number, %0" +
                              digits + "i for the same with leading zeros, %n for the name of the input's file"};
}

}  // namespace

Result<NamePattern> NamePattern::parse(const std::string& text) {
  NamePattern pattern;
  pattern.text_ = text;
  for (std::string_view rest = text; !rest.empty();) {
    if (rest[0] != '%') {
      const std::string_view plain = rest.substr(0, rest.find('%'));
      pattern.add_text(plain);
      rest.remove_prefix(plain.size());
      continue;
    }
    const std::string_view found = placeholder(rest);
    const std::size_t digits = digits_of(found);
    if (digits == 0 && found != "%n") return unknown(found);
    pattern.pieces_.push_back({digits == 0 ? Piece::Kind::kName : Piece::Kind::kNumber, {}, digits});
    rest.remove_prefix(found.size());
  }
  return pattern;
}

std::string foreign_placeholder(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::size_t at = name.find_first_of("*#{$");
  if (at == std::string::npos) return "";
  const std::string rest = name.substr(at);
  if (rest[0] == '*') return "*";
  if (rest[0] == '#') return rest.substr(0, rest.find_first_not_of('#'));
  if (const std::size_t end = rest.find('}'); end != std::string::npos) return rest.substr(0, end + 1);
  const std::size_t word = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
  return rest[0] == '$' && word != 1 && rest.size() > 1 ? rest.substr(0, word) : "";
}

std::string NamePattern::path(std::uint64_t instance, std::string_view name) const {
  std::string path;
  for (const Piece& piece : pieces_) {
    if (piece.kind != Piece::Kind::kNumber) {
      path += piece.kind == Piece::Kind::kText ? std::string_view(piece.text) : name;
      continue;
    }
    const std::string number = std::to_string(instance);
    path.append(piece.digits - std::min(piece.digits, number.size()), '0').append(number);
  }
  return path;
}

bool NamePattern::has(Piece::Kind kind) const noexcept {
  return std::ranges::any_of(pieces_, [kind](const Piece& piece) { return piece.kind == kind; });
}

void NamePattern::add_text(std::string_view text) {
  if (!text.empty()) pieces_.push_back({Piece::Kind::kText, std::string(text), 1});
}

}  // namespace woa::tools
