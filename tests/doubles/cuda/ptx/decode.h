// From a statement of PTX to an instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/doubles/cuda/ptx/program.h"

namespace woa::ptx {

enum class Type : std::uint8_t {
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF32,
  kF64
};

std::optional<Type> type_named(std::string_view name);  // "u32"
std::uint32_t bytes_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);

struct Operand {
  enum Kind : std::uint8_t { kName, kNumber, kAddress, kVector };
  Kind kind = kName;
  bool negated = false;          // !%p
  std::string_view name;         // of a name, or an address' base; empty: the address is the number
  std::uint64_t value = 0;       // of a number, or behind a name
  std::uint8_t float_bytes = 0;  // of a number written as a float: 4 or 8, else 0
  std::vector<Operand> list;     // elements of a vector, or what stands behind | or a comma in brackets
};

struct Statement {
  std::uint32_t line = 0;
  std::string_view opcode, guard;
  bool negated = false;
  std::vector<Operand> operands;
};

// Names in a function, with what they stand for.
class Names {
 public:
  virtual ~Names() = default;
  // The slot that holds the operand's value; -1: the name is unknown.
  virtual std::int32_t slot(const Operand& operand) = 0;
  // The place of a label in Instruction::immediate, now or later.
  virtual void target(std::size_t instruction, std::string_view label) = 0;
  virtual std::optional<Piece> parameter(std::string_view name) = 0;  // in the frame
  virtual std::int32_t function(std::string_view name) = 0;           // -1: unknown
  virtual std::int32_t table(std::string_view label) = 0;             // of .branchtargets; -1: unknown
};

class Decoder {
 public:
  Decoder(const Statement& statement, Function& function, Names& names);

  // The opcode's parts behind the first; each is taken once, and what is left makes the instruction unsupported.
  bool take(std::string_view part);
  std::optional<Type> take_type();
  [[nodiscard]] bool has_float() const;

  [[nodiscard]] std::size_t count() const { return statement_.operands.size(); }
  [[nodiscard]] const Operand& operand(std::size_t number) const { return statement_.operands[number]; }
  std::int32_t slot(const Operand& operand);
  std::int32_t slot(std::size_t number) { return slot(operand(number)); }
  // Operands 0, 1, ... as d, a, b, c.
  bool slots(std::size_t expected);
  bool address(std::size_t number);  // as a, immediate and space
  void vector(std::size_t number);   // as count and more, or as d
  void name_target(std::size_t number) { names_.target(function_.code.size(), operand(number).name); }
  Names& names() { return names_; }
  Function& function() { return function_; }
  bool invalid(std::string why);      // false
  bool unsupported(std::string why);  // false

  Instruction out;
  // Appends the instruction, or says what is wrong.
  Status finish(bool decoded);
  [[nodiscard]] std::string_view base() const { return base_; }

 private:
  const Statement& statement_;
  Function& function_;
  Names& names_;
  std::string_view base_;
  std::vector<std::string_view> parts_;
  Status wrong_;
};

Status decode(const Statement& statement, Function& function, Names& names);

// Each looks whether the opcode is its own, and decodes it; nullopt: it is not.
std::optional<bool> decode_integer(Decoder& decoder);
std::optional<bool> decode_float(Decoder& decoder);
std::optional<bool> decode_move(Decoder& decoder);
std::optional<bool> decode_access(Decoder& decoder);
std::optional<bool> decode_atomic(Decoder& decoder);
std::optional<bool> decode_control(Decoder& decoder);

}  // namespace woa::ptx
