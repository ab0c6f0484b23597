// Paints a mountain lake at sunset and writes it to stdout as a binary PPM: the demo's photograph, made rather than
// shipped. Gradients, edges, fine texture and grain make codecs work as on a camera's picture. Every run paints the
// same picture.
//
//   make_photo WIDTH HEIGHT > photo.ppm
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

struct Color {
  float r = 0, g = 0, b = 0;
};
Color operator*(Color c, float f) { return {c.r * f, c.g * f, c.b * f}; }
Color operator+(Color a, Color b) { return {a.r + b.r, a.g + b.g, a.b + b.b}; }
Color mix(Color a, Color b, float t) { return a * (1 - t) + b * t; }

// A well-mixed number in [0, 1) for a lattice point.
float lattice(std::int32_t x, std::int32_t y) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x85ebca6bu ^ static_cast<std::uint32_t>(y) * 0xc2b2ae35u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return static_cast<float>((h ^ (h >> 15)) >> 8) / 16777216.0f;
}

// Value noise, smoothly interpolated between lattice points.
float noise(float x, float y) {
  const float fx = std::floor(x), fy = std::floor(y);
  const auto ix = static_cast<std::int32_t>(fx), iy = static_cast<std::int32_t>(fy);
  const float u = x - fx, v = y - fy;
  const float su = u * u * (3 - 2 * u), sv = v * v * (3 - 2 * v);
  const float top = lattice(ix, iy) * (1 - su) + lattice(ix + 1, iy) * su;
  const float bottom = lattice(ix, iy + 1) * (1 - su) + lattice(ix + 1, iy + 1) * su;
  return top * (1 - sv) + bottom * sv;
}

// Noise at several scales, around 0.5.
float fractal(float x, float y, int octaves) {
  float sum = 0, weight = 0.5f;
  for (int i = 0; i < octaves; ++i, weight *= 0.5f, x = x * 2.03f + 17, y = y * 2.03f + 5) sum += weight * noise(x, y);
  return sum;
}

constexpr float kHorizon = 0.62f;
constexpr float kSunX = 0.86f, kSunY = 0.47f;

// Coordinates: x from 0 to 4/3, y from 0 (top) to 1.
Color sky(float x, float y) {
  const Color zenith{0.13f, 0.26f, 0.52f}, haze{0.98f, 0.72f, 0.48f}, cloud{0.97f, 0.83f, 0.77f};
  Color c = mix(zenith, haze, std::pow(std::min(y / kHorizon, 1.0f), 1.6f));
  const float density = fractal(x * 4, y * 11, 6) - 0.47f + 0.12f * y;
  c = mix(c, cloud, std::clamp(density * 3.2f, 0.0f, 0.85f));
  const float distance = std::hypot(x - kSunX, y - kSunY);
  return c + Color{1.0f, 0.78f, 0.45f} * (0.55f * std::exp(-distance * 7) + (distance < 0.028f ? 0.6f : 0.0f));
}

// Height of each range's skyline by x, the nearest range first; computed once.
constexpr int kRanges = 3;
class Skyline {
 public:
  Skyline() {
    for (std::size_t i = 0; i < heights_.size(); ++i) {
      for (int range = 0; range < kRanges; ++range)
        heights_[i][static_cast<std::size_t>(range)] = height(static_cast<float>(i) / kSteps, range);
    }
  }
  const std::array<float, kRanges>& at(float x) const {
    const float last = static_cast<float>(heights_.size() - 1);
    return heights_[static_cast<std::size_t>(std::clamp(x * kSteps, 0.0f, last))];
  }

 private:
  static constexpr float kSteps = 6000;
  static float height(float x, int range) {
    const float r = static_cast<float>(range);
    return kHorizon - 0.05f * (r + 0.6f) - (0.10f + 0.05f * r) * (fractal(x * (2.6f + r) + 31 * r, 3 * r, 7) - 0.3f);
  }
  std::array<std::array<float, kRanges>, 9000> heights_;
};

Color land(float x, float y, int range) {
  const float depth = static_cast<float>(range) / 3;
  const float slope = fractal(x * 60, y * 60 + 40 * depth, 5) - fractal(x * 60 + 0.4f, y * 60 + 40 * depth, 5);
  const float grass = fractal(x * 420, y * 420, 3);
  const Color rock =
      Color{0.16f, 0.19f, 0.15f} * (0.55f + grass) + Color{0.9f, 0.6f, 0.4f} * std::max(0.0f, slope * 1.1f);
  return mix(rock, Color{0.62f, 0.55f, 0.58f}, depth * 0.85f);
}

Color above_water(float x, float y) {
  static const Skyline skyline;
  const auto& heights = skyline.at(x);
  for (int range = 0; range < kRanges; ++range) {
    if (y > heights[static_cast<std::size_t>(range)]) return land(x, y, range);
  }
  return sky(x, y);
}

Color scene(float x, float y) {
  if (y < kHorizon) return above_water(x, y);
  const float depth = (y - kHorizon) / (1 - kHorizon);  // 0 at the far shore, 1 at the viewer
  const float ripple = fractal(x * 30 / (depth + 0.1f), 4 / (depth + 0.03f), 4) - 0.5f;
  const float mirrored = kHorizon - (y - kHorizon) * 0.9f + ripple * 0.09f * (0.2f + depth);
  const Color reflected = above_water(x + ripple * 0.02f, std::clamp(mirrored, 0.0f, kHorizon));
  return mix(reflected * 0.82f, Color{0.05f, 0.12f, 0.17f}, 0.15f + 0.45f * depth) + Color{1, 1, 1} * (ripple * 0.05f);
}

std::uint8_t to_byte(float value, float grain) {
  return static_cast<std::uint8_t>(std::clamp(value * 255 + grain, 0.0f, 255.0f));
}

void paint_rows(std::vector<std::uint8_t>& pixels, int width, int height, int first, int step) {
  for (int row = first; row < height; row += step) {
    std::uint8_t* out = pixels.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(width) * 3;
    for (int column = 0; column < width; ++column, out += 3) {
      const float scale = 1 / static_cast<float>(height);
      const Color c = scene(static_cast<float>(column) * scale, static_cast<float>(row) * scale);
      const float grain = 12 * (lattice(column, row + 70001) - 0.5f);
      out[0] = to_byte(c.r, grain);
      out[1] = to_byte(c.g, grain);
      out[2] = to_byte(c.b, grain);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int width = argc == 3 ? std::atoi(argv[1]) : 0, height = argc == 3 ? std::atoi(argv[2]) : 0;
  if (width < 1 || height < 1 || width > 30000 || height > 30000) {
    std::fputs("usage: make_photo WIDTH HEIGHT > photo.ppm   (each from 1 to 30000)\n", stderr);
    return 2;
  }
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> painters;
  for (int i = 0; i < threads; ++i) painters.emplace_back([&, i] { paint_rows(pixels, width, height, i, threads); });
  painters.clear();  // joins
  std::printf("P6\n%d %d\n255\n", width, height);
  const bool written =
      std::fwrite(pixels.data(), 1, pixels.size(), stdout) == pixels.size() && std::fflush(stdout) == 0;
  if (!written) std::perror("make_photo: writing to stdout");
  return written ? 0 : 1;
}
