// sharpen3x3 against its definition, evaluated pixel by pixel.
#include "tests/unit/kernels/images/pictures.h"

namespace woa::test {
namespace {

Picture sharpened(const Picture& in) {
  const KernelUnderTest kernel("sharpen3x3", {}, {{in.samples.size(), 3}});
  const Answer answer = kernel.run({in.token()});
  CAPTURE(answer.message);
  REQUIRE(answer.status == WOA_OK);
  REQUIRE(answer.outs[0]->dims == Dims{in.extent.height, in.extent.width, in.extent.channels});
  REQUIRE(answer.outs[0]->data.size() == in.samples.size());
  return Picture(in.extent, answer.outs[0]->data);
}

int defined(const Picture& in, std::int64_t y, std::int64_t x, std::uint32_t c) {
  const auto sample = [&](std::int64_t row, std::int64_t column) {
    const auto inside = [](std::int64_t at, std::uint32_t end) {
      return static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, std::int64_t{end} - 1));
    };
    return int{in.at(inside(row, in.extent.height), inside(column, in.extent.width), c)};
  };
  const int sum = 5 * sample(y, x) - sample(y - 1, x) - sample(y + 1, x) - sample(y, x - 1) - sample(y, x + 1);
  return std::clamp(sum, 0, 255);
}

void compare(const Picture& in) {
  CAPTURE(in.extent.width, in.extent.height, in.extent.channels);
  CHECK(first_difference(sharpened(in), [&](auto y, auto x, auto c) { return defined(in, y, x, c); }) == "");
}

}  // namespace

TEST_CASE("sharpen3x3 follows its definition at edge sizes") {
  std::mt19937 random(3);
  for (const std::uint32_t channels : {1u, 2u, 3u, 4u}) {
    for (std::uint32_t height = 1; height <= 4; ++height) {
      for (std::uint32_t width = 1; width <= 20; ++width) compare(noise({height, width, channels}, random));
    }
    compare(noise({1, 20000, channels}, random));
    compare(noise({20000, 1, channels}, random));
  }
}

TEST_CASE("sharpen3x3 follows its definition at random sizes") {
  auto random = seeded_random("sharpen3x3");
  for (int round = 0; round < 60; ++round) compare(noise(random_extent(random, 120), random));
}

TEST_CASE("sharpen3x3 leaves a plain picture alone and saturates at both ends") {
  Picture plain({4, 4, 1});
  std::fill(plain.samples.begin(), plain.samples.end(), std::uint8_t{200});
  CHECK(sharpened(plain).samples == plain.samples);
  CHECK(sharpened(Picture({3, 3, 1}, {0, 0, 0, 0, 255, 0, 0, 0, 0})).samples == Bytes{0, 0, 0, 0, 255, 0, 0, 0, 0});
  CHECK(sharpened(Picture({3, 3, 1}, {9, 9, 9, 9, 10, 9, 9, 9, 9})).samples == Bytes{9, 8, 9, 8, 14, 8, 9, 8, 9});
}

TEST_CASE("sharpen3x3 of a picture without pixels is one") {
  for (const Extent extent : {Extent{0, 7, 3}, Extent{7, 0, 3}, Extent{7, 7, 0}, Extent{0, 0, 0}}) {
    CHECK(sharpened(Picture(extent)).samples.empty());
  }
}

TEST_CASE("sharpen3x3 writes nothing where too little is reserved") {
  const KernelUnderTest kernel("sharpen3x3", {}, {{299, 3}});
  const Answer answer = kernel.run({Picture({10, 10, 3}).token()});
  CHECK(answer.status == WOA_TOO_LARGE);
  CHECK(contains(answer.message, "needs 300 bytes, its bound is 299"));
  CHECK(answer.memory[0] == Bytes(299, 0xa5));
}

}  // namespace woa::test
