// The encoded file equals the one that libjpeg-turbo's own program writes, byte by byte.
#include <random>

#include "tests/support/kernel_under_test.h"
#include "tests/unit/kernels/codecs/jpeg_files.h"

namespace woa::test {
namespace {

constexpr Room kJpegRoom{8 << 20};

Token token_of(const RawPicture& picture) {
  return {picture.samples, {picture.height, picture.width, picture.channels}};
}

Bytes encode_jpeg(const Token& image, const std::string& quality) {
  const Answer answer = KernelUnderTest("jpeg_encode", {{"quality", quality}}, {kJpegRoom}).run({image});
  INFO(answer.message);
  REQUIRE(answer.status == WOA_OK);
  return answer.outs[0]->data;
}

void check_equals_cjpeg(const RawPicture& picture, const std::string& quality) {
  CAPTURE(picture.width, picture.height, picture.channels, quality);
  CHECK((encode_jpeg(token_of(picture), quality) == cjpeg(picture, "-quality " + quality)));  // not printed: it is long
}

TEST_CASE("every quality of jpeg_encode is cjpeg's") {
  require_jpeg_tools();
  const RawPicture colour = paint(83, 61, 3), grey = paint(61, 83, 1);
  for (int quality = 1; quality <= 100; quality += quality < 3 ? 1 : 7) {
    check_equals_cjpeg(colour, std::to_string(quality));
    check_equals_cjpeg(grey, std::to_string(quality));
  }
}

TEST_CASE("images of any size become cjpeg's files") {
  require_jpeg_tools();
  std::mt19937 random(5);
  std::uniform_int_distribution<std::uint32_t> side(1, 90);
  for (int i = 0; i < 25; ++i) {
    const std::uint32_t width = side(random), height = side(random), channels = random() % 2 == 0 ? 1 : 3;
    check_equals_cjpeg(paint(width, height, channels), "75");
  }
  for (const std::uint32_t channels : {1U, 3U}) {
    check_equals_cjpeg(paint(1, 1, channels), "90");
    check_equals_cjpeg(paint(65500, 1, channels), "90");
    check_equals_cjpeg(paint(1, 20000, channels), "90");
  }
}

TEST_CASE("a JPEG that does not fit is refused with its size") {
  const Token image = token_of(paint(300, 200, 3));
  const KernelUnderTest kernel("jpeg_encode", {{"quality", "90"}}, {});
  const std::uint64_t bytes = encode_jpeg(image, "90").size();
  CHECK(kernel.run({image}, {{bytes}}).status == WOA_OK);
  for (const std::uint64_t room : {bytes - 1, bytes / 2, std::uint64_t{10}, std::uint64_t{1}, std::uint64_t{0}}) {
    const Answer answer = kernel.run({image}, {{room}});
    CHECK(answer.status == WOA_TOO_LARGE);
    CHECK(contains(answer.message, "needs " + std::to_string(bytes) + " bytes"));
    CHECK(contains(answer.message, "its bound is " + std::to_string(room)));
  }
}

TEST_CASE("images that JPEG cannot express") {
  const KernelUnderTest kernel("jpeg_encode", {{"quality", "75"}}, {kJpegRoom});
  const auto refused = [&](const Dims& dims, woa_status status, std::string_view reason) {
    const Answer answer = kernel.run({Token{Bytes(std::size_t{dims[0]} * dims[1] * dims[2]), dims}});
    INFO(answer.message);
    CHECK(answer.status == status);
    CHECK(contains(answer.message, reason));
  };
  for (const std::uint32_t channels : {0U, 2U, 4U, 5U})
    refused({4, 5, channels}, WOA_UNSUPPORTED, std::to_string(channels) + " channels, expected 1 (grey) or 3 (RGB)");
  refused({0, 5, 3}, WOA_INVALID, "empty");
  refused({5, 0, 3}, WOA_INVALID, "empty");
  refused({1, 65501, 1}, WOA_UNSUPPORTED, "65500");
}

TEST_CASE("qualities that do not exist") {
  for (const std::string quality : {"0", "101", "-1", "", "good", "7.5"}) {
    const KernelUnderTest kernel("jpeg_encode", {{"quality", quality}}, {kJpegRoom});
    CHECK(kernel.created().status == WOA_INVALID);
    CHECK(contains(kernel.created().message, "expected a whole number from 1 to 100"));
  }
  CHECK(contains(KernelUnderTest("jpeg_encode", {}, {kJpegRoom}).created().message, "'quality' is missing"));
}

}  // namespace
}  // namespace woa::test
