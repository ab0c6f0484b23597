// A module as it is executed: functions of decoded instructions, whose operands are slots of the function's frame.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/doubles/cuda/ptx/interpreter.h"

namespace woa::ptx {

struct Thread;
struct Instruction;
using Handler = void (*)(Thread&, const Instruction&);

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal };

enum class Order : std::uint8_t { kWeak, kRelaxed, kAcquire, kRelease, kAcquireRelease };

enum class Scope : std::uint8_t { kCta, kGpu, kSys };

struct Instruction {
  Handler run = nullptr;
  std::int32_t guard = -1;  // slot of a predicate; -1: none
  std::int32_t d = -1, a = -1, b = -1, c = -1;
  std::int64_t immediate = 0;  // offset of an address, target of a branch, function of a call
  std::uint32_t line = 0;
  bool negated = false;  // the guard
  Scope scope = Scope::kGpu;
  Space space = Space::kGeneric;
  Order order = Order::kWeak;
  std::uint8_t choice = 0;  // what else an operation has: a rounding, a kind of fence
  std::uint8_t count = 1;   // of a vector, whose slots are in `more`
  std::uint32_t more = 0;   // first of Function::more
};

// The value of a slot when a function begins.
struct Constant {
  enum Kind : std::uint8_t { kValue, kVariable, kLocal, kDynamicShared, kSpecial };
  std::int32_t slot = 0;
  Kind kind = kValue;
  std::uint64_t value = 0;  // or offset behind the variable's address, or in the frame's local memory
  std::uint32_t which = 0;  // variable, or Special
};

// Special registers that do not change during a launch: tid, ntid, ctaid, nctaid, each x, y, z; then these.
enum Special : std::uint32_t { kTid = 0, kNtid = 3, kCtaid = 6, kNctaid = 9, kLaneid = 12, kWarpid, kSpecials };

struct Piece {  // of a frame's local memory
  std::uint32_t offset = 0, bytes = 0;
};

struct Call {
  std::uint32_t function = 0, line = 0;
  std::vector<Piece> results, arguments;  // in the caller's frame
};

struct Function {
  std::string name;
  bool defined = false;
  std::vector<Instruction> code;
  std::vector<std::int32_t> more;  // slots of vector operands
  std::vector<Constant> constants;
  std::vector<Piece> parameters, results;
  std::vector<Call> calls;
  std::vector<std::vector<std::uint32_t>> tables;  // targets of brx.idx
  std::uint32_t slots = 0, local_bytes = 0;
};

struct Relocation {
  std::size_t variable = 0, offset = 0, target = 0;
  std::uint64_t addend = 0;
};

class Program final : public Module {
 public:
  [[nodiscard]] const Entry* entry(std::string_view name) const noexcept override {
    for (const Entry& one : entries)
      if (one.name == name) return &one;
    return nullptr;
  }
  [[nodiscard]] std::span<const Variable> variables() const noexcept override { return variables_; }
  void place(std::size_t variable, std::uint64_t address) noexcept override {
    addresses[variable] = address;
    for (const Relocation& one : relocations) {
      if (one.target != variable) continue;
      const std::uint64_t value = address + one.addend;
      for (std::size_t k = 0; k < sizeof value; ++k)
        variables_[one.variable].initial[one.offset + k] = static_cast<std::byte>(value >> (8 * k));
    }
  }
  [[nodiscard]] std::uint32_t version() const noexcept override { return version_; }
  [[nodiscard]] std::uint32_t target() const noexcept override { return target_; }

  std::deque<Entry> entries;  // number: of the function
  std::deque<Function> functions;
  std::vector<Variable> variables_;
  std::vector<std::uint64_t> addresses;  // of the variables
  std::vector<Relocation> relocations;
  std::uint32_t version_ = 0, target_ = 0;
};

}  // namespace woa::ptx
