// Delays of a double's threads: most often none, seldom a long one.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace woa::doubles {

inline std::chrono::microseconds draw_delay(std::mt19937_64& random) {
  const std::uint64_t draw = random();
  if (draw % 4 != 0) return std::chrono::microseconds(0);
  const std::uint64_t most_us = draw % 64 == 0 ? 1000 : 100;
  return std::chrono::microseconds((draw >> 32) % most_us);
}

}  // namespace woa::doubles
