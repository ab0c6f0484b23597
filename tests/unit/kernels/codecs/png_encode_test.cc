// An encoded image, read back by libpng, is the same image.
#include <png.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "tests/support/kernel_under_test.h"

namespace woa::test {
namespace {

constexpr Room kRoom{4 << 20};

Token make_image(std::uint32_t height, std::uint32_t width, std::uint32_t channels, unsigned noise = 256) {
  std::mt19937 random(height * 31 + width * 7 + channels);
  Token image{Bytes(std::size_t{height} * width * channels), {height, width, channels}};
  for (std::size_t i = 0; i < image.data.size(); ++i) {
    image.data[i] = static_cast<std::uint8_t>(i / channels + random() % noise);
  }
  return image;
}

Token decode(const Bytes& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, file.data(), file.size()) == 0) throw std::runtime_error(png.message);
  const std::uint32_t channels = PNG_IMAGE_SAMPLE_CHANNELS(png.format);
  Token image{Bytes(PNG_IMAGE_SIZE(png)), {png.height, png.width, channels}};
  if (png_image_finish_read(&png, nullptr, image.data.data(), 0, nullptr) == 0) throw std::runtime_error(png.message);
  return image;
}

Bytes encode(const Token& image, const std::string& level = "2") {
  const Answer answer = KernelUnderTest("png_encode", {{"level", level}}, {kRoom}).run({image});
  INFO(answer.message);
  REQUIRE(answer.status == WOA_OK);
  REQUIRE(answer.outs[0]);
  return answer.outs[0]->data;
}

void check_comes_back(const Token& image, const std::string& level = "2") {
  const Token decoded = decode(encode(image, level));
  CHECK(decoded.dims == image.dims);
  CHECK((decoded.data == image.data));  // not printed: it is long
}

TEST_CASE("images of any size") {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::uint32_t> side(1, 90), noise(1, 256);
  const std::vector<std::uint32_t> all_channels{1, 3, 4};
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t height = side(random), width = side(random), channels = all_channels[random() % 3];
    CAPTURE(height, width, channels);
    check_comes_back(make_image(height, width, channels, noise(random)));
  }
}

TEST_CASE("the smallest and the longest images") {
  for (const std::uint32_t channels : {1U, 3U, 4U}) {
    check_comes_back(make_image(1, 1, channels));
    check_comes_back(make_image(1, 20000, channels));
    check_comes_back(make_image(20000, 1, channels));
  }
  // Wider than the million pixels at which libpng stops by default, reading too: so only the width in the header is
  // checked.
  const Bytes wide = encode(make_image(1, 1'500'000, 1));
  CHECK(Bytes(wide.begin() + 16, wide.begin() + 24) == Bytes{0x00, 0x16, 0xe3, 0x60, 0, 0, 0, 1});
}

TEST_CASE("every level") {
  const Token image = make_image(60, 80, 3, 8);
  for (int level = 0; level <= 9; ++level) check_comes_back(image, std::to_string(level));
  CHECK(encode(image, "0").size() > image.data.size());
  CHECK(encode(image, "9").size() < encode(image, "1").size());
}

TEST_CASE("the same image gives the same file") {
  const Token image = make_image(60, 80, 3);
  CHECK((encode(image) == encode(image)));
}

TEST_CASE("a file that does not fit is refused with its size") {
  const Token image = make_image(300, 200, 3);
  for (const std::string level : {"0", "2"}) {
    const KernelUnderTest kernel("png_encode", {{"level", level}}, {});
    const std::uint64_t bytes = encode(image, level).size();
    CHECK(kernel.run({image}, {{bytes}}).status == WOA_OK);
    for (const std::uint64_t room : {bytes - 1, bytes / 2, std::uint64_t{10}, std::uint64_t{0}}) {
      const Answer answer = kernel.run({image}, {{room}});
      CHECK(answer.status == WOA_TOO_LARGE);
      CHECK(contains(answer.message, "needs " + std::to_string(bytes) + " bytes"));
      CHECK(contains(answer.message, "its bound is " + std::to_string(room)));
    }
  }
}

TEST_CASE("images that PNG cannot express") {
  const KernelUnderTest kernel("png_encode", {{"level", "2"}}, {kRoom});
  for (const std::uint32_t channels : {0U, 2U, 5U}) {
    const Answer answer = kernel.run({make_image(4, 5, channels)});
    CHECK(answer.status == WOA_UNSUPPORTED);
    CHECK(contains(answer.message, std::to_string(channels) + " channels, expected 1 (grey), 3 (RGB) or 4"));
  }
  for (const Token& image : {make_image(0, 5, 3), make_image(5, 0, 3), make_image(0, 0, 1)}) {
    const Answer answer = kernel.run({image});
    CHECK(answer.status == WOA_INVALID);
    CHECK(contains(answer.message, "empty"));
  }
}

TEST_CASE("levels that do not exist") {
  for (const std::string level : {"-1", "10", "", "six", "2.5", "2 ", "99999999999999999999"}) {
    const KernelUnderTest kernel("png_encode", {{"level", level}}, {kRoom});
    CAPTURE(kernel.created().message);
    CHECK(kernel.created().status == WOA_INVALID);
    CHECK(contains(kernel.created().message, "'level' is '" + level + "', expected a whole number from 0 to 9"));
  }
  CHECK(contains(KernelUnderTest("png_encode", {}, {kRoom}).created().message, "'level' is missing"));
}

}  // namespace
}  // namespace woa::test
