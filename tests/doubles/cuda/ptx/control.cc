// Branches, calls, barriers.
#include <cstring>

#include "tests/doubles/cuda/ptx/decode.h"
#include "tests/doubles/cuda/ptx/operations.h"

namespace woa::ptx {
namespace {

constexpr std::uint32_t kDeepest = 1000;  // calls, as recursion without end would make

void branch(Thread& t, const Instruction& i) { t.pc = static_cast<std::uint32_t>(i.immediate); }
void branch_by_table(Thread& t, const Instruction& i) {
  const auto& targets = t.function->tables[static_cast<std::size_t>(i.immediate)];
  const auto index = get<std::uint32_t>(t, i.a);
  if (index >= targets.size()) return fault(t, i, End::kTrapped, index, "the index is past the table");
  t.pc = targets[index];
}

void copy_pieces(Thread& t, const std::vector<Piece>& from, std::uint32_t from_at, const std::vector<Piece>& to,
                 std::uint32_t to_at) {
  for (std::size_t k = 0; k < from.size(); ++k)
    std::memmove(&t.local[to_at + to[k].offset], &t.local[from_at + from[k].offset], to[k].bytes);
}

void call(Thread& t, const Instruction& i) {
  if (t.callers.size() == kDeepest) return fault(t, i, End::kTrapped, 0, "calls nest too deep");
  const Call& made = t.function->calls[static_cast<std::size_t>(i.immediate)];
  const Function& next = t.block->program->functions[made.function];
  t.callers.push_back({t.function, t.pc, t.slots_at, t.local_at});
  const std::uint32_t from = t.local_at;
  t.enter(next, t.slots_at + t.function->slots, (t.local_at + t.function->local_bytes + 15) / 16 * 16);
  copy_pieces(t, made.arguments, from, next.parameters, t.local_at);
}

void leave(Thread& t, const Instruction&) {
  if (t.callers.empty()) {
    t.state = State::kEnded;
    return;
  }
  const Frame back = t.callers.back();
  t.callers.pop_back();
  const Call& made = back.function->calls[static_cast<std::size_t>(back.function->code[back.pc - 1].immediate)];
  copy_pieces(t, t.function->results, t.local_at, made.results, back.local);
  t.function = back.function;
  t.pc = back.pc;
  t.slots_at = back.slots;
  t.local_at = back.local;
  t.r = t.slots.data() + t.slots_at;
}

void exit_thread(Thread& t, const Instruction&) { t.state = State::kEnded; }
void trap(Thread& t, const Instruction& i) { fault(t, i, End::kTrapped, 0, "the kernel trapped"); }
void wait_at_barrier(Thread& t, const Instruction&) {
  if (!t.block->ignored.barrier) t.state = State::kAtBarrier;
}
void sleep(Thread& t, const Instruction&) { t.pause = true; }

bool decode_branch(Decoder& in) {
  in.take("uni");
  if (in.take("idx")) {
    if (in.count() != 2) return in.invalid("an index and a table expected");
    in.out.a = in.slot(std::size_t{0});
    in.out.immediate = in.names().table(in.operand(1).name);
    in.out.run = &branch_by_table;
    return in.out.immediate >= 0 || in.invalid("no .branchtargets above has this name");
  }
  if (in.base() == "brx" || in.count() != 1) return false;
  in.name_target(0);
  in.out.run = &branch;
  return true;
}

bool pieces(Decoder& in, const Operand& list, std::vector<Piece>& out) {
  for (const Operand& one : list.list) {
    const auto piece = in.names().parameter(one.name);
    if (!piece) return in.unsupported("an argument that is no .param");
    out.push_back(*piece);
  }
  return true;
}

bool decode_call(Decoder& in) {
  in.take("uni");
  Call made;
  made.line = in.out.line;
  std::size_t at = 0;
  if (at < in.count() && in.operand(at).kind == Operand::kVector && !pieces(in, in.operand(at++), made.results))
    return false;
  if (at == in.count() || in.operand(at).kind != Operand::kName) return in.invalid("a function's name expected");
  const std::int32_t number = in.names().function(in.operand(at).name);
  if (number < 0) return in.unsupported("a call through a register");
  if (++at < in.count() && !pieces(in, in.operand(at++), made.arguments)) return false;
  if (at != in.count()) return false;
  made.function = static_cast<std::uint32_t>(number);
  in.out.immediate = static_cast<std::int64_t>(in.function().calls.size());
  in.function().calls.push_back(std::move(made));
  in.out.run = &call;
  return true;
}

bool decode_barrier(Decoder& in) {
  if (!in.take("sync")) return false;
  in.take("aligned");
  in.take("cta");
  if (in.count() != 1 || in.operand(0).kind != Operand::kNumber || in.operand(0).value != 0)
    return in.unsupported("a barrier other than 0 of all threads");
  in.out.run = &wait_at_barrier;
  return true;
}

bool decode_sleep(Decoder& in) {
  in.out.run = in.take_type() == Type::kU32 ? &sleep : nullptr;
  return true;
}

}  // namespace

std::optional<bool> decode_control(Decoder& in) {
  const std::string_view base = in.base();
  if (base == "bra" || base == "brx") return decode_branch(in);
  if (base == "call") return decode_call(in);
  if (base == "bar" || base == "barrier") return decode_barrier(in);
  if (base == "nanosleep") return decode_sleep(in);
  if (base == "ret") return in.take("uni"), in.out.run = &leave, in.slots(0);
  if (base == "exit") return in.out.run = &exit_thread, in.slots(0);
  if (base == "trap") return in.out.run = &trap, in.slots(0);
  return std::nullopt;
}

}  // namespace woa::ptx
