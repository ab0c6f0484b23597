// One update of one element in memory that another controller owns, and its form in packets.
//
// The operations are those of MPI's one-sided communication (MPI 3.1, chapter 11: MPI_Put, MPI_Accumulate,
// MPI_Fetch_and_op, MPI_Compare_and_swap), on unsigned integers of 32 and 64 bits. updater.h says how updates are
// issued, and defines their order, atomicity and completion.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace woa::onesided {

enum class Operation : std::uint8_t {
  kPut = 1,
  kSum,  // modulo 2^32 or 2^64
  kXor,
  kMin,
  kMax,
  kFetchAdd,     // like kSum; the old value comes back
  kCompareSwap,  // puts the operand if the element is as expected; the old value comes back
};

enum class Width : std::uint8_t { k32 = 4, k64 = 8 };  // bytes of an element

struct Update {
  Operation operation = Operation::kPut;
  Width width = Width::k64;
  std::uint64_t offset = 0;    // bytes from the region's start, a multiple of the width
  std::uint64_t operand = 0;   // of 32-bit elements only the low half counts, here and below
  std::uint64_t expected = 0;  // kCompareSwap
};

template <class Word>
concept Element = std::same_as<Word, std::uint32_t> || std::same_as<Word, std::uint64_t>;

template <Element Word>
inline constexpr Width kWidthOf = sizeof(Word) == 4 ? Width::k32 : Width::k64;

template <Element Word>
constexpr Update put(std::uint64_t offset, Word value) noexcept {
  return {Operation::kPut, kWidthOf<Word>, offset, value, 0};
}
// `operation`: kSum, kXor, kMin or kMax.
template <Element Word>
constexpr Update accumulate(Operation operation, std::uint64_t offset, Word operand) noexcept {
  return {operation, kWidthOf<Word>, offset, operand, 0};
}
template <Element Word>
constexpr Update fetch_add(std::uint64_t offset, Word addend) noexcept {
  return {Operation::kFetchAdd, kWidthOf<Word>, offset, addend, 0};
}
template <Element Word>
constexpr Update compare_swap(std::uint64_t offset, Word expected, Word desired) noexcept {
  return {Operation::kCompareSwap, kWidthOf<Word>, offset, desired, expected};
}

constexpr bool fetches(Operation operation) noexcept {
  return operation == Operation::kFetchAdd || operation == Operation::kCompareSwap;
}

// The reason why an update is refused.
enum class Refusal : std::uint8_t { kNone, kOperation, kWidth, kMisaligned, kOutside, kTruncated, kReserved };

// The first rule that `update` breaks on a region of `region_bytes`; kNone: none.
constexpr Refusal check(const Update& update, std::uint64_t region_bytes) noexcept {
  if (update.operation < Operation::kPut || update.operation > Operation::kCompareSwap) return Refusal::kOperation;
  if (update.width != Width::k32 && update.width != Width::k64) return Refusal::kWidth;
  const auto element_bytes = static_cast<std::uint64_t>(update.width);
  if ((update.offset & (element_bytes - 1)) != 0) return Refusal::kMisaligned;
  if (region_bytes < element_bytes || update.offset > region_bytes - element_bytes) return Refusal::kOutside;
  return Refusal::kNone;
}

// The problem with its numbers, for messages.
std::string describe(const Update& update, Refusal refusal, std::uint64_t region_bytes);

// --- how updates travel -------------------------------------------------------------------------------------------
//
// A bucket is a sequence of units. An update is one unit; kCompareSwap is followed by a second one, whose place is
// the expected value and whose operand is 0.
struct Unit {
  std::uint64_t place = 0;  // bits 0 to 47: offset; 48 to 55: bytes of the element; 56 to 63: operation
  std::uint64_t operand = 0;
  friend bool operator==(const Unit&, const Unit&) = default;
};
static_assert(sizeof(Unit) == 16);

inline constexpr std::uint64_t kMaxRegionBytes = std::uint64_t{1} << 48;

// A place without its offset. `place` may be any number, from a broken peer.
constexpr std::uint64_t kind_of(Operation operation, Width width) noexcept {
  return static_cast<std::uint64_t>(operation) << 56 | static_cast<std::uint64_t>(width) << 48;
}
constexpr std::uint64_t kind_of(std::uint64_t place) noexcept { return place & ~(kMaxRegionBytes - 1); }

constexpr std::uint64_t place_of(const Update& update) noexcept {
  return kind_of(update.operation, update.width) + update.offset;
}
// The update that begins with a unit; the expected value is not in it.
constexpr Update update_of(std::uint64_t place, std::uint64_t operand) noexcept {
  return {static_cast<Operation>(place >> 56), static_cast<Width>(place >> 48 & 0xff), place & (kMaxRegionBytes - 1),
          operand, 0};
}

constexpr unsigned shift_of(Width width) noexcept { return width == Width::k32 ? 2 : 3; }

// The number of the element at `offset`. A misaligned offset, or one with bits beyond 47, gives a number that no region
// has, because the low bits come out at the top: one comparison with the number of elements finds every mistake.
constexpr std::uint64_t element_of(std::uint64_t offset, Width width) noexcept {
  return std::rotr(offset, static_cast<int>(shift_of(width)));
}

}  // namespace woa::onesided
