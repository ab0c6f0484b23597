// How many instances may run at once for the memory that payloads take.
#pragma once

#include <cstdint>
#include <functional>

namespace woa {

// Blocks are reserved for the largest payloads, but take memory only where somebody has written. So the limit acts on
// bytes that were written, while the run goes on: when they exceed the limit, fewer instances run at once from then on.
// They stay the run's until it ends, and are written again: blocks are reused last in, first out. One thread.
class MemoryLimit {
 public:
  MemoryLimit() = default;  // none
  // `written`: tells how many bytes were; its first answer is taken off all others. `most`: bytes; 0: half of
  // available_bytes().
  MemoryLimit(std::function<std::uint64_t()> written, std::uint64_t most);

  // May an instance begin beside `others`? True without others: a run goes on, whatever it takes. No more than a look
  // at the clock, but for once in a millisecond (or a hundred times what it takes to ask, if that is longer).
  [[nodiscard]] bool admits(std::uint64_t others) noexcept;
  [[nodiscard]] std::uint64_t most() const noexcept { return most_; }
  // Bytes that were written, when it last asked.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  // Asks now.
  void look() noexcept;

 private:
  std::function<std::uint64_t()> ask_;
  std::uint64_t before_ = 0, most_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t most_others_ = 0;              // instances that ran at once, at most
  std::uint64_t at_once_ = ~std::uint64_t{0};  // that may
  std::uint64_t next_look_ns_ = 0;
};

}  // namespace woa
