// Pictures for the tests of image kernels, and how to find a pixel that differs.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "tests/support/kernel_under_test.h"

namespace woa::test {

struct Extent {
  std::uint32_t height, width, channels;
};

// u8[height,width,channels] with coordinates for the reader.
struct Picture {
  explicit Picture(Extent size) : extent(size), samples(std::size_t{size.height} * size.width * size.channels) {}
  Picture(Extent size, Bytes data) : extent(size), samples(std::move(data)) {}

  [[nodiscard]] std::uint8_t at(std::size_t y, std::size_t x, std::size_t channel) const {
    return samples[(y * extent.width + x) * extent.channels + channel];
  }
  [[nodiscard]] Token token() const { return {samples, {extent.height, extent.width, extent.channels}}; }

  Extent extent;
  Bytes samples;
};

// A seed from WOA_TEST_SEED or the system, printed so that a failure can be repeated.
inline std::mt19937 seeded_random(const char* what) {
  const char* given = std::getenv("WOA_TEST_SEED");
  const auto seed =
      given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  std::printf("%s: WOA_TEST_SEED=%u\n", what, seed);
  return std::mt19937(seed);
}

// Noise with many extremes, where sums saturate.
inline Picture noise(Extent extent, std::mt19937& random) {
  Picture picture(extent);
  for (std::uint8_t& sample : picture.samples) {
    const auto value = random();
    sample = value % 4 == 0 ? 0 : value % 4 == 1 ? 255 : static_cast<std::uint8_t>(value >> 8);
  }
  return picture;
}

inline Extent random_extent(std::mt19937& random, std::uint32_t limit) {
  const auto below = [&](std::uint32_t end) { return 1 + static_cast<std::uint32_t>(random() % end); };
  return {below(limit), below(limit), below(4)};
}

// Empty if both are equal, else where they first differ.
template <class Expected>
std::string first_difference(const Picture& found, Expected expected) {
  for (std::uint32_t y = 0; y < found.extent.height; ++y) {
    for (std::uint32_t x = 0; x < found.extent.width; ++x) {
      for (std::uint32_t c = 0; c < found.extent.channels; ++c) {
        const int want = expected(y, x, c), have = found.at(y, x, c);
        if (want == have) continue;
        return "row " + std::to_string(y) + ", column " + std::to_string(x) + ", channel " + std::to_string(c) +
               ": expected " + std::to_string(want) + ", found " + std::to_string(have);
      }
    }
  }
  return "";
}

}  // namespace woa::test
