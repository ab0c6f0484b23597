// A file that is no whole, sound JPEG of a supported form is refused with a reason; the process goes on.
#include <algorithm>
#include <random>

#include "tests/support/kernel_under_test.h"
#include "tests/unit/kernels/codecs/jpeg_files.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kRoom = 1 << 20;

Answer decode(const Bytes& file, std::uint64_t room = kRoom) {
  return KernelUnderTest("jpeg_decode", {}, {{room, 3}}).run({{file}});
}

woa_status status_of_size(const Bytes& file) {
  return KernelUnderTest("jpeg_decode", {}, {{kRoom, 3}}).size({{file}}).status;
}

void check_refused(const Bytes& file, woa_status status, const std::string& reason) {
  const Answer answer = decode(file);
  INFO(answer.message);
  CHECK(answer.status == status);
  CHECK(contains(answer.message, reason));
}

Bytes with_frame_size(Bytes file, std::uint32_t height, std::uint32_t width) {
  const std::size_t frame = find_frame(file);
  file[frame + 1] = static_cast<std::uint8_t>(height >> 8);
  file[frame + 2] = static_cast<std::uint8_t>(height);
  file[frame + 3] = static_cast<std::uint8_t>(width >> 8);
  file[frame + 4] = static_cast<std::uint8_t>(width);
  return file;
}

TEST_CASE("an empty input") {
  check_refused({}, WOA_INVALID, "the input is empty");
  CHECK(status_of_size({}) == WOA_INVALID);
}

TEST_CASE("other data") {
  check_refused(text("\x89PNG\r\n\x1a\n").data, WOA_INVALID, "Not a JPEG file");
  check_refused(text("this is a text, and a text is no picture").data, WOA_INVALID, "Not a JPEG file");
  check_refused(Bytes(5000, 0), WOA_INVALID, "Not a JPEG file");
  check_refused({0xff, 0xd8, 0xff, 0xd9}, WOA_INVALID, "JPEG");
}

TEST_CASE("a file cut short, wherever") {
  require_jpeg_tools();
  for (const std::string options : {"", "-progressive", "-grayscale", "-restart 1", "-optimize"}) {
    const Bytes file = cjpeg(paint(33, 17, 3), options);
    for (std::size_t length = 1; length < file.size(); ++length) {
      CAPTURE(options, length, file.size());
      check_refused(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)), WOA_INVALID, "JPEG");
    }
    CHECK(decode(file).status == WOA_OK);
  }
}

// djpeg shows these, too, with a warning, but gives the same warning for pixels that were made up.
TEST_CASE("a file without its end, or with bytes too many before it") {
  require_jpeg_tools();
  const Bytes file = cjpeg(paint(33, 17, 3), "");
  check_refused(Bytes(file.begin(), file.end() - 2), WOA_INVALID, "Premature end");
  Bytes longer = file;
  longer.insert(longer.end() - 2, 100, 0x00);  // more than the decoder reads ahead
  check_refused(longer, WOA_INVALID, "extraneous");
}

TEST_CASE("a damaged file ends in a picture or in a reason") {
  require_jpeg_tools();
  std::mt19937 random(2);
  std::uniform_int_distribution<int> changes(1, 3);
  int refused = 0;
  for (const std::string options : {"", "-progressive", "-restart 1"}) {
    const Bytes file = cjpeg(paint(33, 17, 3), options);
    for (int i = 0; i < 700; ++i) {
      Bytes damaged = file;
      for (int n = changes(random); n > 0; --n) {
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
      }
      const Answer answer = decode(damaged);
      INFO(answer.message);
      const std::vector<woa_status> expected{WOA_OK, WOA_INVALID, WOA_UNSUPPORTED, WOA_TOO_LARGE};
      CHECK(std::find(expected.begin(), expected.end(), answer.status) != expected.end());
      refused += answer.status == WOA_OK ? 0 : 1;
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("a picture beyond the bound") {
  require_jpeg_tools();
  const Bytes file = cjpeg(paint(83, 61, 3), "");
  CHECK(decode(file, 83 * 61 * 3).status == WOA_OK);
  const Answer answer = decode(file, 83 * 61 * 3 - 1);
  CHECK(answer.status == WOA_TOO_LARGE);
  CHECK(contains(answer.message, "needs 15189 bytes, its bound is 15188"));
  const Bytes& memory = answer.memory[0];
  CHECK(std::all_of(memory.begin(), memory.end(), [](std::uint8_t byte) { return byte == 0xa5; }));
}

TEST_CASE("a header that promises too much or nothing") {
  require_jpeg_tools();
  const Bytes file = cjpeg(paint(16, 16, 3), "");
  check_refused(with_frame_size(file, 65500, 65500), WOA_TOO_LARGE, "needs 12870750000 bytes");
  check_refused(with_frame_size(file, 65535, 16), WOA_UNSUPPORTED, "65500");
  check_refused(with_frame_size(file, 16, 0), WOA_INVALID, "JPEG");
}

TEST_CASE("forms that are not supported") {
  require_jpeg_tools();
  check_refused(make_cmyk(20, 10), WOA_UNSUPPORTED, "4 components per pixel (CMYK?)");
  CHECK(status_of_size(make_cmyk(20, 10)) == WOA_UNSUPPORTED);
  Bytes deep = cjpeg(paint(16, 16, 3), "");
  deep[find_frame(deep)] = 12;
  check_refused(deep, WOA_UNSUPPORTED, "precision 12");
  Bytes lossless = cjpeg(paint(16, 16, 3), "");
  lossless[find_frame(lossless) - 3] = 0xc3;
  check_refused(lossless, WOA_UNSUPPORTED, "SOF");
}

}  // namespace
}  // namespace woa::test
