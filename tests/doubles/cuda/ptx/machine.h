// A thread of a launch, its block, and what instructions do to them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/doubles/cuda/ptx/order.h"
#include "tests/doubles/cuda/ptx/program.h"

namespace woa::ptx {

// Generic addresses of shared and local memory: the upper half names the space, the lower one is the address in it.
inline constexpr std::uint64_t kSharedWindow = 0xFFFF'FFF1'0000'0000U, kLocalWindow = 0xFFFF'FFF2'0000'0000U;

struct Block;

struct Frame {
  const Function* function = nullptr;
  std::uint32_t pc = 0, slots = 0, local = 0;  // where its slots and its local memory begin
};

enum class State : std::uint8_t { kReady, kAtBarrier, kEnded };

struct Thread {
  std::uint64_t* r = nullptr;  // the frame's slots
  const Function* function = nullptr;
  std::uint32_t pc = 0;
  State state = State::kReady;
  bool pause = false;  // ends the thread's turn
  std::uint32_t slots_at = 0, local_at = 0;
  Block* block = nullptr;
  std::vector<std::uint64_t> slots;
  std::vector<std::byte> local;
  std::vector<Frame> callers;
  ThreadView view;
  std::array<std::uint64_t, kSpecials> special{};
  std::uint64_t steps = 0;

  // Begins a function behind the frame at hand.
  void enter(const Function& next, std::uint32_t slots_from, std::uint32_t local_from);
};

// Extents of global memory that a launch has met.
class Extents {
 public:
  explicit Extents(Memory& memory) : memory_(memory) {}
  // null: nothing is there.
  const Extent* find(std::uint64_t address) {
    if (address - last_.address < last_.bytes) return &last_;
    return search(address);
  }

 private:
  const Extent* search(std::uint64_t address);

  Memory& memory_;
  std::vector<Extent> met_;
  Extent last_;
};

struct Block {
  Block(Random& random, const Ignored& ignores, Late& late, Extents& known)
      : ignored(ignores), extents(known), view(random, ignores, late) {}

  const Ignored& ignored;
  Extents& extents;
  BlockView view;
  const Program* program = nullptr;
  std::uint32_t static_shared = 0;
  std::vector<std::byte> shared;
  Outcome outcome;
};

void fault(Thread& thread, const Instruction& at, End end, std::uint64_t address, const std::string& what);

template <class T>
T get(const Thread& thread, std::int32_t slot) {
  if constexpr (std::is_same_v<T, bool>)
    return thread.r[slot] != 0;
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(thread.r[slot]);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(thread.r[slot]));
  else
    return static_cast<T>(thread.r[slot]);
}

// Signed values are extended to the whole slot; a reader takes as many bits as its type has.
template <class T>
void set(Thread& thread, std::int32_t slot, T value) {
  if constexpr (std::is_same_v<T, double>)
    thread.r[slot] = std::bit_cast<std::uint64_t>(value);
  else if constexpr (std::is_same_v<T, float>)
    thread.r[slot] = std::bit_cast<std::uint32_t>(value);
  else
    thread.r[slot] = static_cast<std::uint64_t>(value);
}

}  // namespace woa::ptx
