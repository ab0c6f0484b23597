// Reads the tokens of a module: directives and bodies of functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tests/doubles/cuda/ptx/decode.h"
#include "tests/doubles/cuda/ptx/tokens.h"

namespace woa::ptx {

// A cursor over tokens, and the first error.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : tokens_(tokens(text)) {}

  [[nodiscard]] const Token& now() const { return tokens_[at_]; }
  Token next() { return now().kind == Token::kEnd ? now() : tokens_[at_++]; }
  [[nodiscard]] bool is(std::string_view text) const { return now().text == text && now().kind != Token::kEnd; }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  bool expect(std::string_view text);
  std::uint64_t number();
  void skip_line();
  [[nodiscard]] bool ends() const { return !wrong_.ok() || now().kind == Token::kEnd; }
  bool label() const { return now().kind == Token::kWord && tokens_[at_ + 1].text == ":"; }

  bool invalid(const std::string& why);  // false; the first error stays
  bool unsupported(const std::string& what);
  bool fail(Status why);
  [[nodiscard]] const Status& wrong() const { return wrong_; }

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Status wrong_;
};

// .align 8 .b8 name[16] or .u64 name: what all variables and parameters have.
struct Declaration {
  std::string name;
  Type type = Type::kB8;
  std::uint32_t alignment = 1, elements = 1;
  bool open = false;  // []
  [[nodiscard]] std::uint32_t bytes() const { return elements * bytes_of(type); }
};
bool read_declaration(Cursor& in, Declaration& out);
bool read_operand(Cursor& in, Operand& out);

// The module's names and its program so far.
struct ModuleScope {
  Program* program = nullptr;
  std::unordered_map<std::string, std::size_t> variables, functions;
  std::map<std::string, std::uint32_t> shared;  // offsets of the module's shared variables
  std::string dynamic_shared;                   // the name of the one without size
  std::uint32_t shared_bytes = 0;

  std::size_t function(const std::string& name);  // made at first mention
};

// From behind the name of a function to its end.
class FunctionReader final : public Names {
 public:
  FunctionReader(Cursor& in, ModuleScope& scope, Function& function) : in_(in), scope_(scope), function_(function) {}

  bool parameters(std::vector<Piece>& out);  // (...)
  bool body();
  [[nodiscard]] std::uint32_t shared_bytes() const { return shared_bytes_; }

  std::int32_t slot(const Operand& operand) override;
  void target(std::size_t instruction, std::string_view label) override { jumps_.push_back({instruction, label}); }
  std::optional<Piece> parameter(std::string_view name) override;
  std::int32_t function(std::string_view name) override;
  std::int32_t table(std::string_view label) override;

 private:
  struct Name {
    enum Kind : std::uint8_t { kSlot, kPiece, kShared } kind = kSlot;
    Piece piece;  // kSlot: the slot is its offset
  };
  struct Jump {
    std::size_t instruction;
    std::string_view label;
  };
  struct Table {
    std::string_view label;
    std::vector<std::string_view> targets;
  };

  bool line();
  bool directive();
  bool registers();
  bool statement();
  bool branch_targets(std::string_view label);
  bool resolve();
  Piece local(const Declaration& declaration);
  void declare(std::string name, Name what);
  std::int32_t constant(Constant::Kind kind, std::uint64_t value, std::uint32_t which = 0);
  std::int32_t symbol(const Operand& operand);

  Cursor& in_;
  ModuleScope& scope_;
  Function& function_;
  std::vector<std::unordered_map<std::string, Name>> names_{1};
  std::map<std::tuple<int, std::uint64_t, std::uint32_t>, std::int32_t> constants_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  std::vector<Jump> jumps_;
  std::vector<Table> tables_;
  std::uint32_t shared_bytes_ = scope_.shared_bytes;
};

}  // namespace woa::ptx
