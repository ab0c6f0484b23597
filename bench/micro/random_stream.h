// The numbers and the table of the HPC Challenge benchmark RandomAccess: the rules are at hpcchallenge.org (Luszczek et
// al., "Introduction to the HPC Challenge Benchmark Suite", 2005).
//
// A table of n = 2^k words, table[i] = i, is spread over the processes; 4 n times table[r mod n] ^= r, for the numbers
// r of one stream that the processes share out in equal parts. A process holds back at most 1024 updates. The same
// updates, done again, restore the table; up to 1 % of the words may then be wrong. (We allow none: all contenders
// update atomically.)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/base/status.h"

namespace woa::bench {

inline constexpr std::uint64_t kUpdatesPerWord = 4;
inline constexpr std::uint64_t kLookAhead = 1024;

// Polynomials over GF(2), a bit per power, modulo x^64 + x^2 + x + 1.
class RandomStream {
 public:
  // Starts the stream at its number `first`.
  explicit constexpr RandomStream(std::uint64_t first) noexcept : value_(power_of_x(first)) {}

  constexpr std::uint64_t next() noexcept { return value_ = times_x(value_); }

 private:
  static constexpr std::uint64_t times_x(std::uint64_t a) noexcept { return (a << 1) ^ (7 & -(a >> 63)); }
  static constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t sum = 0;
    for (int bit = 63; bit >= 0; --bit) sum = times_x(sum) ^ (a & -(b >> bit & 1));
    return sum;
  }
  static constexpr std::uint64_t power_of_x(std::uint64_t exponent) noexcept {
    std::uint64_t result = 1;
    for (std::uint64_t square = 2; exponent != 0; exponent >>= 1, square = product(square, square))
      if ((exponent & 1) != 0) result = product(result, square);
    return result;
  }

  std::uint64_t value_;
};

// How the table lies in the memory of `kProcesses` processes: the first half of the words belongs to the first.
struct RandomTable {
  static constexpr std::uint64_t kProcesses = 2;

  std::uint64_t words = 0;  // a power of two, at least kProcesses

  [[nodiscard]] constexpr std::uint64_t part_words() const noexcept { return words / kProcesses; }
  [[nodiscard]] constexpr std::uint64_t updates() const noexcept { return kUpdatesPerWord * words; }
  [[nodiscard]] constexpr std::uint64_t part_updates() const noexcept { return updates() / kProcesses; }
  [[nodiscard]] constexpr RandomStream stream_of(std::uint64_t process) const noexcept {
    return RandomStream(process * part_updates());
  }
  // The owner of the word that a number updates; index_of() is its index among the owner's words.
  [[nodiscard]] constexpr std::uint64_t owner_of(std::uint64_t number) const noexcept {
    static_assert(kProcesses == 2);
    return (number & part_words()) != 0 ? 1 : 0;
  }
  [[nodiscard]] constexpr std::uint64_t index_of(std::uint64_t number) const noexcept {
    return number & (part_words() - 1);
  }
  constexpr void fill(std::span<std::uint64_t> part, std::uint64_t process) const noexcept {
    for (std::uint64_t k = 0; k < part.size(); ++k) part[k] = process * part_words() + k;
  }
};

// Calls `update` for every number of the process, and `look` after every 1024 of them; false as soon as one returns
// false.
template <class UpdateOne, class Look>
[[nodiscard]] bool run_stream(const RandomTable& table, std::uint64_t process, UpdateOne&& update, Look&& look) {
  RandomStream stream = table.stream_of(process);
  for (std::uint64_t left = table.part_updates(); left > 0;) {
    const std::uint64_t some = std::min(left, kLookAhead);
    for (std::uint64_t k = 0; k < some; ++k)
      if (!update(stream.next())) return false;
    left -= some;
    if (!look()) return false;
  }
  return true;
}

// Repeats every update of a process's part; returns how many of its words are then wrong.
inline std::uint64_t wrong_words(const RandomTable& table, std::span<std::uint64_t> part,
                                 std::uint64_t process) noexcept {
  RandomStream stream(0);
  for (std::uint64_t k = 0; k < table.updates(); ++k) {
    const std::uint64_t number = stream.next();
    if (table.owner_of(number) == process) part[table.index_of(number)] ^= number;
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t k = 0; k < table.part_words(); ++k)
    if (part[k] != process * table.part_words() + k) ++wrong;
  return wrong;
}

// Maps every page of `memory` into this process. Always true.
inline bool touch_pages(std::span<const std::byte> memory) noexcept {
  constexpr std::size_t kPage = 4096;
  const volatile std::byte* bytes = memory.data();
  for (std::size_t at = 0; at < memory.size(); at += kPage) (void)bytes[at];
  return true;
}

// kDataLoss: updates of the part of `process` were lost or done twice.
inline Status check_part(const RandomTable& table, std::span<std::uint64_t> part, std::uint64_t process) {
  const std::uint64_t wrong = wrong_words(table, part, process);
  if (wrong == 0) return {};
  return {Code::kDataLoss, "RandomAccess: " + std::to_string(wrong) + " of " + std::to_string(table.part_words()) +
                               " words of process " + std::to_string(process) +
                               " are wrong after the updates were done again; expected none"};
}
inline Status check_table(const RandomTable& table, const std::array<std::span<std::uint64_t>, 2>& parts) {
  WOA_RETURN_IF_ERROR(check_part(table, parts[0], 0));
  return check_part(table, parts[1], 1);
}

}  // namespace woa::bench
