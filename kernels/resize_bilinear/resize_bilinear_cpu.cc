// Defined in resize_bilinear.md. Resizes input rows horizontally into two lines, then blends the lines. An input row
// that two output rows need is resized once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "woa/woa_kernel.h"

namespace {

constexpr uint32_t kMaxChannels = 4;

// Values of parameter `fit`, in the order of kernel.yaml.
constexpr std::array<const char*, 3> kFits{"stretch", "contain", "cover"};
enum class Fit : std::uint8_t { kStretch, kContain, kCover };

struct Target {
  uint32_t width = 0, height = 0;
  Fit fit = Fit::kStretch;
};

struct Size {
  uint32_t height, width;
};

// The part of the input that is resized: its first row and column, and its size.
struct Window {
  uint32_t top, left;
  Size size;
};

// a * b / c, rounded, and at least 1.
uint32_t scaled(uint32_t a, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(std::max<uint64_t>((2 * uint64_t{a} * b + c) / (2 * uint64_t{c}), 1));
}

bool is_wider(const Size& in, const Target& to) {
  return uint64_t{in.width} * to.height > uint64_t{in.height} * to.width;
}

Size output_size(const Size& in, const Target& to) {
  if (to.fit != Fit::kContain) return {to.height, to.width};
  if (is_wider(in, to)) return {scaled(in.height, to.width, in.width), to.width};
  return {to.height, scaled(in.width, to.height, in.height)};
}

Window window(const Size& in, const Target& to) {
  Size part = in;
  if (to.fit == Fit::kCover) {
    if (is_wider(in, to)) {
      part.width = scaled(in.height, to.width, to.height);
    } else {
      part.height = scaled(in.width, to.height, to.width);
    }
  }
  return {(in.height - part.height) / 2, (in.width - part.width) / 2, part};
}

// The two input pixels between which an output pixel lies, and the weight of the second in 1/2048.
struct Place {
  uint32_t first, second, weight;
};

Place place(uint32_t i, uint32_t size, uint32_t new_size) {
  const uint64_t shifted = (2 * uint64_t{i} + 1) * size * 32768 / new_size;
  const uint64_t position = std::max<uint64_t>(shifted, 32768) - 32768;
  const auto first = static_cast<uint32_t>(position >> 16);
  return {first, std::min(first + 1, size - 1), static_cast<uint32_t>(position & 65535) >> 5};
}

// (2048 - weight) * a + weight * b; intermediate values wrap modulo 2^32.
uint32_t blend(uint32_t a, uint32_t b, uint32_t weight) { return (a << 11) + weight * (b - a); }

template <uint32_t kChannels>
void resize_row(const uint8_t* in, const Place* columns, uint32_t width, uint32_t* line) {
  for (uint32_t x = 0; x < width; ++x, line += kChannels) {
    const Place column = columns[x];
    const uint8_t *a = in + column.first * kChannels, *b = in + column.second * kChannels;
    for (uint32_t c = 0; c < kChannels; ++c) line[c] = blend(a[c], b[c], column.weight);
  }
}

void blend_lines(const uint32_t* upper, const uint32_t* lower, uint32_t down, size_t samples, uint8_t* out) {
  for (size_t i = 0; i < samples; ++i) {
    out[i] = static_cast<uint8_t>((blend(upper[i], lower[i], down) + (1u << 21)) >> 22);
  }
}

// An input row, resized horizontally.
struct Line {
  uint32_t* samples;
  int64_t row = -1;  // none yet
};

template <uint32_t kChannels>
void resize(const woa_input& in, const Window& part, const Size& to, uint8_t* scratch, uint8_t* out) {
  const size_t stride = size_t{in.dims[1]} * kChannels, samples = size_t{to.width} * kChannels;
  const uint8_t* corner = in.data + part.top * stride + size_t{part.left} * kChannels;
  auto* columns = reinterpret_cast<Place*>(scratch);
  for (uint32_t x = 0; x < to.width; ++x) columns[x] = place(x, part.size.width, to.width);
  auto* lines = reinterpret_cast<uint32_t*>(columns + to.width);
  Line upper{lines}, lower{lines + samples};
  const auto fill = [&](Line& line, uint32_t row) {
    if (line.row != row) resize_row<kChannels>(corner + row * stride, columns, to.width, line.samples);
    line.row = row;
  };
  for (uint32_t y = 0; y < to.height; ++y) {
    const Place row = place(y, part.size.height, to.height);
    if (lower.row == row.first) std::swap(upper, lower);
    fill(upper, row.first);
    fill(lower, row.second);
    blend_lines(upper.samples, lower.samples, row.weight, samples, out + y * samples);
  }
}

woa_status read_fit(const char* text, Fit* fit, woa_error* error) {
  for (size_t i = 0; text != nullptr && i < kFits.size(); ++i) {
    if (std::strcmp(text, kFits[i]) != 0) continue;
    *fit = static_cast<Fit>(i);
    return WOA_OK;
  }
  if (text == nullptr) return woa_fail(error, WOA_INVALID, "parameter 'fit' is missing");
  return woa_fail(error, WOA_INVALID, "parameter 'fit' is '%.32s', expected stretch, contain or cover", text);
}

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  int64_t width = 0, height = 0;
  woa_status status = woa_param_int(params, count, "width", 1, 32768, &width, error);
  if (status == WOA_OK) status = woa_param_int(params, count, "height", 1, 32768, &height, error);
  Fit fit = Fit::kStretch;
  if (status == WOA_OK) status = read_fit(woa_param_text(params, count, "fit"), &fit, error);
  if (status == WOA_OK) *self = new Target{static_cast<uint32_t>(width), static_cast<uint32_t>(height), fit};
  return status;
}

void destroy(void* self) { delete static_cast<Target*>(self); }

woa_status size(void* self, const woa_input* ins, woa_output* outs, woa_error* error) {
  const auto& to = *static_cast<const Target*>(self);
  const uint32_t height = ins[0].dims[0], width = ins[0].dims[1], channels = ins[0].dims[2];
  if (ins[0].bytes == 0 || channels > kMaxChannels) {
    return woa_fail(error, WOA_INVALID,
                    "input 'image' has %u x %u pixels of %u channels, expected at least 1 x 1 of 1 to %u channels",
                    width, height, channels, kMaxChannels);
  }
  const Size size = output_size({height, width}, to);
  outs[0].dims[0] = size.height;
  outs[0].dims[1] = size.width;
  outs[0].dims[2] = channels;
  outs[0].bytes = uint64_t{size.height} * size.width * channels;
  return WOA_OK;
}

woa_status run(void* self, const woa_firing* firing, const woa_input* ins, woa_output* outs, woa_error* error) {
  const auto& to = *static_cast<const Target*>(self);
  woa_status status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "image", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  const uint32_t channels = ins[0].dims[2];
  const Size from{ins[0].dims[0], ins[0].dims[1]}, made{outs[0].dims[0], outs[0].dims[1]};
  const uint64_t needed = made.width * (sizeof(Place) + 2 * channels * sizeof(uint32_t));
  if (needed > firing->scratch_bytes) {
    return woa_fail(error, WOA_EXHAUSTED, "%llu bytes of scratch are needed, there are %llu; raise `scratch`",
                    static_cast<unsigned long long>(needed), static_cast<unsigned long long>(firing->scratch_bytes));
  }
  constexpr decltype(&resize<1>) kByChannels[kMaxChannels] = {resize<1>, resize<2>, resize<3>, resize<4>};
  kByChannels[channels - 1](ins[0], window(from, to), made, firing->scratch, outs[0].data);
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .size = size, .run = run)
