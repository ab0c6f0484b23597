#include "tests/doubles/cuda/ptx/tokens.h"

#include <algorithm>
#include <cctype>

namespace woa::ptx {
namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' || c == '$';
}
bool in_word(char c) { return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Token next() {
    skip();
    const std::size_t from = at_;
    if (at_ == text_.size()) return {Token::kEnd, "the end of the text", line_};
    const char first = text_[at_++];
    Token::Kind kind = Token::kMark;
    if (begins_word(first)) {
      kind = Token::kWord;
      while (at_ < text_.size() && (in_word(text_[at_]) || scope())) at_ += in_word(text_[at_]) ? 1 : 2;
    } else if (std::isdigit(static_cast<unsigned char>(first)) != 0) {
      kind = Token::kNumber;
      while (at_ < text_.size() && (in_word(text_[at_]))) ++at_;
    } else if (first == '"') {
      kind = Token::kString;
      while (at_ < text_.size() && text_[at_++] != '"') {
      }
    }
    return {kind, text_.substr(from, at_ - from), line_};
  }

 private:
  // "::" within an opcode, as in ld.shared::cta.
  [[nodiscard]] bool scope() const { return text_.substr(at_, 2) == "::"; }

  void skip() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest[0] == '\n') ++line_;
      if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
        ++at_;
      } else if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
        for (; at_ < end; ++at_) line_ += text_[at_] == '\n' ? 1U : 0U;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> all;
  Scanner scanner(text);
  do all.push_back(scanner.next());
  while (all.back().kind != Token::kEnd);
  return all;
}

}  // namespace woa::ptx
