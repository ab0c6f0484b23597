// resize_bilinear against its definition, evaluated pixel by pixel, and against exact bilinear interpolation.
#include <yaml-cpp/yaml.h>

#include <cmath>

#include "tests/unit/kernels/images/pictures.h"

namespace woa::test {
namespace {

// The scratch of kernel.yaml, which has it in KiB, in bytes.
std::size_t declared_scratch() {
  const YAML::Node file = YAML::LoadFile(WOA_BUILD_DIR "/kernels/resize_bilinear/kernel.yaml");
  const auto text = file["scratch"].as<std::string>();
  REQUIRE(text.ends_with("KiB"));
  return std::stoul(text) * 1024;
}

Params to_size(std::uint32_t width, std::uint32_t height, const std::string& fit = "stretch") {
  return {{"width", std::to_string(width)}, {"height", std::to_string(height)}, {"fit", fit}};
}

// The kernel, and its code for processors without the instructions that the first may use.
constexpr const char* kKernel = "resize_bilinear";
constexpr const char* kPlain = WOA_BUILD_DIR "/tests/libresize_bilinear_plain.so";

Picture resized(const Picture& in, std::uint32_t width, std::uint32_t height, const char* library = kKernel) {
  const std::size_t bytes = std::size_t{width} * height * in.extent.channels;
  const KernelUnderTest kernel(library, to_size(width, height), {{bytes, 3}}, declared_scratch());
  const Answer answer = kernel.run({in.token()});
  CAPTURE(answer.message);
  REQUIRE(answer.status == WOA_OK);
  REQUIRE(answer.outs[0]->dims == Dims{height, width, in.extent.channels});
  REQUIRE(answer.outs[0]->data.size() == bytes);
  return Picture({height, width, in.extent.channels}, answer.outs[0]->data);
}

// resize_bilinear.md, line by line, in signed numbers of more bits than needed.
struct Axis {
  Axis(std::int64_t i, std::int64_t n, std::int64_t m) {
    const std::int64_t position = std::max<std::int64_t>(0, (2 * i + 1) * n * 32768 / m - 32768);
    first = position / 65536;
    second = std::min(first + 1, n - 1);
    weight = position % 65536 / 32;
  }
  std::int64_t first, second, weight;
};

int defined(const Picture& in, const Picture& out, std::uint32_t y, std::uint32_t x, std::uint32_t c) {
  const Axis row(y, in.extent.height, out.extent.height), column(x, in.extent.width, out.extent.width);
  const auto sample = [&](std::int64_t at_row, std::int64_t at_column) {
    return std::int64_t{in.at(static_cast<std::size_t>(at_row), static_cast<std::size_t>(at_column), c)};
  };
  const auto along = [&](std::int64_t at_row) {
    return (2048 - column.weight) * sample(at_row, column.first) + column.weight * sample(at_row, column.second);
  };
  return static_cast<int>(((2048 - row.weight) * along(row.first) + row.weight * along(row.second) + 2097152) /
                          4194304);
}

// Bilinear interpolation with aligned pixel centres, in floating point.
double exact(const Picture& in, const Picture& out, std::uint32_t y, std::uint32_t x, std::uint32_t c) {
  const auto centre = [](double i, double n, double m) { return std::clamp((i + 0.5) * n / m - 0.5, 0.0, n - 1); };
  const double row = centre(y, in.extent.height, out.extent.height);
  const double column = centre(x, in.extent.width, out.extent.width);
  const auto y0 = static_cast<std::size_t>(row), x0 = static_cast<std::size_t>(column);
  const std::size_t y1 = std::min<std::size_t>(y0 + 1, in.extent.height - 1);
  const std::size_t x1 = std::min<std::size_t>(x0 + 1, in.extent.width - 1);
  const double down = row - std::floor(row), right = column - std::floor(column);
  const double upper = (1 - right) * in.at(y0, x0, c) + right * in.at(y0, x1, c);
  const double lower = (1 - right) * in.at(y1, x0, c) + right * in.at(y1, x1, c);
  return (1 - down) * upper + down * lower;
}

void compare(Extent from, std::uint32_t width, std::uint32_t height, std::mt19937& random) {
  CAPTURE(from.width, from.height, from.channels, width, height);
  const Picture in = noise(from, random), out = resized(in, width, height);
  CHECK(first_difference(out, [&](auto y, auto x, auto c) { return defined(in, out, y, x, c); }) == "");
  // Within one level of the exact value, so that the definition itself is bilinear interpolation.
  CHECK(first_difference(out, [&](auto y, auto x, auto c) {
          const int found = out.at(y, x, c);
          const double value = exact(in, out, y, x, c);
          return std::fabs(found - value) <= 1 ? found : static_cast<int>(std::lround(value));
        }) == "");
  CHECK(resized(in, width, height, kPlain).samples == out.samples);
}

}  // namespace

TEST_CASE("resize_bilinear follows its definition at edge sizes") {
  std::mt19937 random(7);
  for (const std::uint32_t channels : {1u, 2u, 3u, 4u}) {
    compare({1, 1, channels}, 1, 1, random);
    compare({1, 1, channels}, 9, 5, random);
    compare({9, 5, channels}, 1, 1, random);
    compare({2, 2, channels}, 3, 3, random);
    compare({1, 20000, channels}, 7, 3, random);
    compare({20000, 1, channels}, 3, 7, random);
    compare({3, 7, channels}, 20000, 1, random);
    compare({7, 3, channels}, 1, 20000, random);
    compare({1, 2, channels}, 32768, 1, random);
    compare({1, 32768, channels}, 32767, 1, random);
    compare({2, 1, channels}, 1, 32768, random);
  }
}

TEST_CASE("resize_bilinear follows its definition where 32 bits of a position would overflow") {
  std::mt19937 random(8);
  compare({1, 20000000, 1}, 32768, 1, random);
  compare({20000000, 1, 1}, 1, 32768, random);
}

TEST_CASE("resize_bilinear follows its definition at random sizes") {
  auto random = seeded_random("resize_bilinear");
  for (int round = 0; round < 60; ++round) {
    const Extent to = random_extent(random, 90);
    compare(random_extent(random, 90), to.width, to.height, random);
  }
}

TEST_CASE("resize_bilinear follows its definition at each width around that of a vector") {
  std::mt19937 random(10);
  for (const std::uint32_t channels : {1u, 2u, 3u, 4u}) {
    for (std::uint32_t from = 1; from <= 18; ++from) {
      for (std::uint32_t to = 1; to <= 18; ++to) compare({3, from, channels}, to, 2, random);
    }
  }
}

TEST_CASE("resize_bilinear writes nothing behind the scratch that it asks for") {
  std::mt19937 random(12);
  for (const std::uint32_t channels : {1u, 2u, 3u, 4u}) {
    for (const std::uint32_t height : {5u, 17u}) {  // less and more than the input has
      const Picture in = noise({6, 9, channels}, random);
      const Params params = to_size(13, height);
      const std::vector<Room> rooms{{std::size_t{13} * height * channels, 3}};
      const std::string message = KernelUnderTest(kKernel, params, rooms, 64).run({in.token()}).message;
      CAPTURE(message);
      REQUIRE(contains(message, " bytes of scratch are needed"));
      const KernelUnderTest kernel(kKernel, params, rooms, std::stoul(message));
      CHECK(kernel.run({in.token()}).outs[0]->data == resized(in, 13, height).samples);
    }
  }
}

TEST_CASE("resize_bilinear to the same size gives the picture back") {
  std::mt19937 random(9);
  const Picture in = noise({61, 47, 3}, random);
  CHECK(resized(in, 47, 61).samples == in.samples);
}

// a * b / c, rounded half up, at least 1; in floating point, which is exact for sides of pictures.
std::uint32_t rounded(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return static_cast<std::uint32_t>(std::max(1.0, std::floor(double(a) * double(b) / double(c) + 0.5)));
}

Picture cropped(const Picture& in, std::uint32_t height, std::uint32_t width) {
  Picture out({height, width, in.extent.channels});
  const std::uint32_t top = (in.extent.height - height) / 2, left = (in.extent.width - width) / 2;
  auto sample = out.samples.begin();
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x)
      for (std::uint32_t c = 0; c < in.extent.channels; ++c) *sample++ = in.at(top + y, left + x, c);
  }
  return out;
}

Token fitted(const Picture& in, std::uint32_t width, std::uint32_t height, const std::string& fit) {
  const std::size_t most = std::size_t{width} * height * in.extent.channels;
  const KernelUnderTest kernel("resize_bilinear", to_size(width, height, fit), {{most, 3}}, declared_scratch());
  const Answer answer = kernel.run({in.token()});
  INFO(answer.message);
  REQUIRE(answer.status == WOA_OK);
  return *answer.outs[0];
}

// `fit` gives the same as cropping by hand, or computing the size by hand, and stretching.
void check_fits(const Picture& in, std::uint32_t width, std::uint32_t height) {
  const auto [h, w, channels] = in.extent;
  CAPTURE(h, w, channels, width, height);
  const bool wider = std::uint64_t{w} * height > std::uint64_t{h} * width;
  const std::uint32_t rows = wider ? rounded(h, width, w) : height, columns = wider ? width : rounded(w, height, h);
  CHECK(rows <= height);
  CHECK(columns <= width);
  CHECK(fitted(in, width, height, "contain") == resized(in, columns, rows).token());
  const Picture part = wider ? cropped(in, h, rounded(h, width, height)) : cropped(in, rounded(w, height, width), w);
  CHECK(fitted(in, width, height, "cover") == resized(part, width, height).token());
}

TEST_CASE("resize_bilinear fits a picture inside a size, or covers the size with its middle") {
  auto random = seeded_random("resize_bilinear");
  for (const std::uint32_t channels : {1u, 3u, 4u}) {
    check_fits(noise({30, 40, channels}, random), 20, 20);
    check_fits(noise({40, 30, channels}, random), 20, 20);
    check_fits(noise({30, 40, channels}, random), 80, 60);
    check_fits(noise({1, 1, channels}, random), 9, 5);
    check_fits(noise({1, 20000, channels}, random), 7, 300);
    check_fits(noise({20000, 1, channels}, random), 300, 7);
    check_fits(noise({3, 2, channels}, random), 32768, 1);
  }
  for (int round = 0; round < 60; ++round) {
    const Extent to = random_extent(random, 90);
    check_fits(noise(random_extent(random, 90), random), to.width, to.height);
  }
}

TEST_CASE("resize_bilinear keeps a plain picture plain") {
  for (const std::uint8_t level : std::initializer_list<std::uint8_t>{0, 1, 127, 255}) {
    Picture in({13, 17, 3});
    std::fill(in.samples.begin(), in.samples.end(), level);
    const Picture out = resized(in, 40, 5);
    CHECK(std::count(out.samples.begin(), out.samples.end(), level) == std::ptrdiff_t{40 * 5 * 3});
  }
}

TEST_CASE("resize_bilinear refuses wrong parameters by name") {
  const auto check = [](const Params& params, std::string_view part) {
    const KernelUnderTest kernel("resize_bilinear", params, {});
    CAPTURE(kernel.created().message);
    CHECK(kernel.created().status == WOA_INVALID);
    CHECK(contains(kernel.created().message, part));
  };
  check({{"height", "10"}}, "'width' is missing");
  check({{"width", "10"}}, "'height' is missing");
  check({{"width", "10"}, {"height", "10"}}, "'fit' is missing");
  for (const char* bad : {"", "Cover", "crop", "stretched", "1"}) {
    CAPTURE(bad);
    check({{"width", "10"}, {"height", "10"}, {"fit", bad}}, "expected stretch, contain or cover");
  }
  for (const char* bad : {"0", "-1", "32769", "4294967297", "99999999999999999999", "", " 10", "10 ", "ten", "1e3"}) {
    CAPTURE(bad);
    check({{"width", bad}, {"height", "10"}}, "from 1 to 32768");
    check({{"width", "10"}, {"height", bad}}, "'height'");
  }
}

TEST_CASE("resize_bilinear refuses pictures that it cannot resize, before and when it runs") {
  const KernelUnderTest kernel("resize_bilinear", to_size(2, 2), {{1000, 3}}, declared_scratch());
  for (const Extent extent : {Extent{0, 5, 3}, Extent{5, 0, 3}, Extent{5, 5, 0}, Extent{5, 5, 5}}) {
    const Token in = Picture(extent).token();
    CHECK(kernel.size({in}).status == WOA_INVALID);
    const Answer answer = kernel.run({in});
    CHECK(answer.status == WOA_INVALID);
    CHECK(contains(answer.message, "1 to 4 channels"));
  }
}

TEST_CASE("resize_bilinear writes nothing where too little is reserved") {
  const Token in = Picture({1, 1, 3}).token();
  const KernelUnderTest kernel("resize_bilinear", to_size(10, 10), {{299, 3}}, declared_scratch());
  const Answer answer = kernel.run({in});
  CHECK(answer.status == WOA_TOO_LARGE);
  CHECK(contains(answer.message, "needs 300 bytes, its bound is 299"));
  CHECK(answer.memory[0] == Bytes(299, 0xa5));

  const KernelUnderTest without_scratch("resize_bilinear", to_size(10, 10), {{300, 3}}, 64);
  const Answer exhausted = without_scratch.run({in});
  CHECK(exhausted.status == WOA_EXHAUSTED);
  CHECK(contains(exhausted.message, "scratch"));
}

}  // namespace woa::test
