// Payloads of random bytes, and the check of what came back. Kernels invert the bytes once, so that a payload that was
// only passed on is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/status.h"

namespace woa::bench {

class RandomPayloads {
 public:
  // Every object has other bytes.
  explicit RandomPayloads(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  // Writes payload `number`, which differs from the hundreds before it, to the front of `room`.
  void fill(std::uint64_t number, std::span<std::byte> room) const noexcept;
  // kDataLoss: `found` is not payload `number` with every bit inverted; the message names the first wrong byte.
  [[nodiscard]] Status check_inverted(std::uint64_t number, std::span<const std::byte> found) const;
  // kDataLoss: `found` is not payload `number`.
  [[nodiscard]] Status check_same(std::uint64_t number, std::span<const std::byte> found) const;

 private:
  [[nodiscard]] const std::byte* payload(std::uint64_t number) const noexcept;
  [[nodiscard]] Status check(std::uint64_t number, std::span<const std::byte> found, std::uint64_t flipped) const;

  std::uint64_t bytes_;
  std::vector<std::uint64_t> words_;  // payloads overlap, each a word behind the one before it
};

}  // namespace woa::bench
