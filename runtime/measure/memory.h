// Memory of a benchmark: mapped, zeroed, aligned to pages, and touched, so that none is taken while the clock runs.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "runtime/base/status.h"

namespace woa::measure {

class Memory {
 public:
  enum class Sharing : bool { kPrivate, kWithChildren };

  // kExhausted: the system lacks the memory.
  static Result<Memory> map(std::size_t bytes, Sharing sharing);
  Memory(Memory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  explicit Memory(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

}  // namespace woa::measure
