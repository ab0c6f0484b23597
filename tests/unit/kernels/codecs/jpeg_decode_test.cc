// Decoded pictures equal those of libjpeg-turbo's own program, sample by sample.
#include <atomic>
#include <random>
#include <thread>

#include "tests/support/kernel_under_test.h"
#include "tests/unit/kernels/codecs/fire.h"
#include "tests/unit/kernels/codecs/jpeg_files.h"

namespace woa::test {
namespace {

void check_equals_djpeg(const Bytes& file) {
  const RawPicture expected = djpeg(file);
  const KernelUnderTest kernel("jpeg_decode", {}, {{expected.samples.size(), 3}});
  const Dims dims{expected.height, expected.width, expected.channels};

  const Answer size = kernel.size({{file}});
  REQUIRE(size.status == WOA_OK);
  CHECK(size.outs[0]->dims == dims);
  CHECK(size.outs[0]->data.size() == expected.samples.size());

  const Answer answer = kernel.run({{file}});
  INFO(answer.message);
  REQUIRE(answer.status == WOA_OK);
  REQUIRE(answer.outs[0]);
  CHECK(answer.outs[0]->dims == dims);
  CHECK((answer.outs[0]->data == expected.samples));  // not printed: it is long
}

TEST_CASE("every form of colour file") {
  require_jpeg_tools();
  for (const std::string options :
       {"-sample 1x1", "-sample 2x1", "-sample 1x2", "-sample 2x2", "-sample 4x1", "-progressive -sample 2x2",
        "-progressive -sample 1x1", "-optimize", "-restart 1", "-rgb", "-quality 1 -baseline", "-quality 100"}) {
    INFO(options);
    check_equals_djpeg(cjpeg(paint(83, 61, 3), options));
  }
}

TEST_CASE("grey files") {
  require_jpeg_tools();
  for (const std::string options : {"", "-progressive", "-grayscale -restart 2B"}) {
    INFO(options);
    check_equals_djpeg(cjpeg(paint(83, 61, 1), options));
  }
  check_equals_djpeg(cjpeg(paint(40, 30, 3), "-grayscale"));
}

TEST_CASE("the smallest and the longest pictures") {
  require_jpeg_tools();
  for (const std::uint32_t channels : {1U, 3U}) {
    check_equals_djpeg(cjpeg(paint(1, 1, channels), ""));
    check_equals_djpeg(cjpeg(paint(20000, 1, channels), ""));
    check_equals_djpeg(cjpeg(paint(1, 20000, channels), ""));
    check_equals_djpeg(cjpeg(paint(65500, 1, channels), "-progressive"));
  }
}

TEST_CASE("pictures of any size") {
  require_jpeg_tools();
  std::mt19937 random(1);
  std::uniform_int_distribution<std::uint32_t> side(1, 70);
  for (int i = 0; i < 25; ++i) {
    const std::uint32_t width = side(random), height = side(random), channels = random() % 2 == 0 ? 1 : 3;
    INFO(width << " x " << height << " x " << channels);
    check_equals_djpeg(cjpeg(paint(width, height, channels), random() % 2 == 0 ? "-progressive" : "-sample 2x2"));
  }
}

TEST_CASE("bytes after the end of the picture do not matter") {
  require_jpeg_tools();
  Bytes file = cjpeg(paint(20, 20, 3), "");
  file.insert(file.end(), 5000, 0x5a);
  check_equals_djpeg(file);
}

// Cameras and old programs write such files: libjpeg warns, and shows every pixel.
TEST_CASE("header fields that contradict the format do not matter") {
  require_jpeg_tools();
  const Bytes file = cjpeg(paint(83, 61, 3), "");
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    Bytes copy = file;
    copy[at] = value;
    return copy;
  };
  const std::size_t jfif = find_segment(file, 0xe0, 0xe0), scan = find_segment(file, 0xda, 0xda);
  const std::size_t last_coefficient = scan + 1 + 2 * std::size_t{file[scan]} + 1;
  REQUIRE(file[last_coefficient] == 63);
  check_equals_djpeg(changed(jfif + 5, 2));          // version 2.01
  check_equals_djpeg(changed(last_coefficient, 0));  // a scan of no coefficients but the first
  Bytes adobe = file;
  const Bytes segment{0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 7};  // transform 7
  adobe.erase(adobe.begin() + 2, adobe.begin() + static_cast<std::ptrdiff_t>(jfif) + 14);
  adobe.insert(adobe.begin() + 2, segment.begin(), segment.end());
  check_equals_djpeg(adobe);
}

TEST_CASE("the size is read from the header alone") {
  require_jpeg_tools();
  Bytes file = cjpeg(paint(83, 61, 3), "");
  file.resize(file.size() / 2);
  const KernelUnderTest kernel("jpeg_decode", {}, {{83 * 61 * 3, 3}});
  CHECK(kernel.size({{file}}).outs[0]->dims == Dims{61, 83, 3});
  CHECK(kernel.run({{file}}).status == WOA_INVALID);
}

TEST_CASE("several threads decode at once, good files and bad ones") {
  require_jpeg_tools();
  const KernelUnderTest kernel("jpeg_decode", {}, {{6000, 3}});
  const Bytes good = cjpeg(paint(50, 40, 3), "");
  const Bytes bad(good.begin(), good.end() - 100);
  const Bytes expected = djpeg(good).samples;
  std::atomic<int> right = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        if (!fire(kernel, bad, 6000) && fire(kernel, good, 6000) == expected) ++right;
      }
    });
  }
  threads.clear();
  CHECK(right == 200);
}

}  // namespace
}  // namespace woa::test
