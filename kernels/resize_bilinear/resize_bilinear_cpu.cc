// Defined in resize_bilinear.md, as sums along both axes. They are taken in the order that is quicker for the sizes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "woa/woa_kernel.h"

// The loops over samples are compiled for processors with AVX2, too; the loader takes the version that fits. They
// inline what they call, or it would be compiled for all processors only.
#if defined(__x86_64__) && !defined(WOA_PLAIN)
#define RESIZE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RESIZE_CLONES
#endif
#define RESIZE_INLINE __attribute__((always_inline)) inline

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

// A sample that was blended along both axes.
uint8_t rounded(uint32_t sum) { return static_cast<uint8_t>((sum + (1u << 21)) >> 22); }

// Input samples of a row, from number `begin` on: columns count in samples.
template <class Sample>
struct Samples {
  const Sample* data;
  size_t begin;
};

// A pixel's samples become one vector: all are read before the first is written, because bytes may alias the line.
template <uint32_t kChannels, uint32_t kSamples, class Sample>
RESIZE_INLINE void blend_pixels(Samples<Sample> in, const Place* columns, uint32_t width, uint32_t* line) {
  for (uint32_t x = 0; x < width; ++x, line += kChannels) {
    const Place column = columns[x];
    const Sample *a = in.data + (column.first - in.begin), *b = in.data + (column.second - in.begin);
    std::array<uint32_t, kSamples> pixel;
    for (uint32_t c = 0; c < kSamples; ++c) pixel[c] = blend(a[c], b[c], column.weight);
    std::copy_n(pixel.begin(), kSamples, line);
  }
}

// Three channels are blended as if they were four, unless that would read behind the end: the fourth sample is the next
// pixel's first, which that pixel replaces. So a line of them has room for a spare sample.
constexpr uint32_t kMostSpare = 1;
uint32_t spare(uint32_t channels) { return channels == 3 ? kMostSpare : 0; }
enum class Behind : bool { kNothing, kSomething };

template <class Sample>
RESIZE_INLINE void blend_columns(Samples<Sample> in, Behind behind, const Place* columns, uint32_t width,
                                 uint32_t channels, uint32_t* line) {
  if (channels == 1) blend_pixels<1, 1>(in, columns, width, line);
  if (channels == 2) blend_pixels<2, 2>(in, columns, width, line);
  if (channels == 3 && behind == Behind::kNothing) blend_pixels<3, 3>(in, columns, width, line);
  if (channels == 3 && behind == Behind::kSomething) blend_pixels<3, 4>(in, columns, width, line);
  if (channels == 4) blend_pixels<4, 4>(in, columns, width, line);
}

RESIZE_CLONES void blend_row(const uint8_t* in, Behind behind, const Place* columns, uint32_t width, uint32_t channels,
                             uint32_t* line) {
  blend_columns(Samples<uint8_t>{in, 0}, behind, columns, width, channels, line);
}

// Factors of 16 bits take a vector half the work of wider ones.
RESIZE_CLONES void blend_rows(const uint8_t* upper, const uint8_t* lower, uint32_t down, size_t samples,
                              uint32_t* line) {
  const auto of_lower = static_cast<uint16_t>(down), of_upper = static_cast<uint16_t>(2048 - down);
  for (size_t i = 0; i < samples; ++i) {
    line[i] = static_cast<uint32_t>(of_upper * upper[i]) + static_cast<uint32_t>(of_lower * lower[i]);
  }
}

RESIZE_CLONES void finish_rows(Samples<uint32_t> in, const Place* columns, uint32_t width, uint32_t channels,
                               uint32_t* line, uint8_t* out) {
  blend_columns(in, Behind::kSomething, columns, width, channels, line);
  for (size_t i = 0; i < size_t{width} * channels; ++i) out[i] = rounded(line[i]);
}

RESIZE_CLONES void finish_columns(const uint32_t* upper, const uint32_t* lower, uint32_t down, size_t samples,
                                  uint8_t* out) {
  for (size_t i = 0; i < samples; ++i) out[i] = rounded(blend(upper[i], lower[i], down));
}

struct Resizing {
  const uint8_t* corner;  // first sample of the part
  size_t stride;          // samples from a row to the next
  uint32_t channels;
  Size part, to;
  bool ends_picture;     // nothing lies behind the part's last row
  const Place* columns;  // of output pixels, in samples of the part
  uint32_t* lines;       // room for two lines of output pixels, each with spare()
  uint8_t* out;
};

// The sums of both orders are equal. Rows first reads each input row but once or twice, as bytes and in order, so it is
// quicker where rows are not used again and most columns are.
constexpr uint32_t kMostColumns = 3;  // of the input for one of the output
bool rows_first(const Resizing& job) {
  return job.part.height >= job.to.height && job.part.width <= uint64_t{kMostColumns} * job.to.width;
}

void prefetch(const uint8_t* begin, size_t bytes) {
  constexpr size_t kCacheLine = 64;
  for (size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(begin + at);
}

// By blocks of output columns that stay in the first cache.
void resize_rows_first(const Resizing& job) {
  constexpr uint32_t kBlock = 64, kInputs = kBlock * kMostColumns + 2;
  std::array<uint32_t, kInputs * kMaxChannels + kMostSpare> blended{};
  std::array<uint32_t, kBlock * kMaxChannels + kMostSpare> line;
  for (uint32_t y = 0; y < job.to.height; ++y) {
    const Place row = place(y, job.part.height, job.to.height);
    const Place next = place(std::min(y + 1, job.to.height - 1), job.part.height, job.to.height);
    const auto at = [&job](uint32_t number, size_t sample) { return job.corner + number * job.stride + sample; };
    for (uint32_t x = 0; x < job.to.width; x += kBlock) {
      const uint32_t count = std::min(kBlock, job.to.width - x);
      const size_t begin = job.columns[x].first, end = job.columns[x + count - 1].second + job.channels;
      prefetch(at(next.first, begin), end - begin);
      prefetch(at(next.second, begin), end - begin);
      blend_rows(at(row.first, begin), at(row.second, begin), row.weight, end - begin, blended.data());
      finish_rows({blended.data(), begin}, job.columns + x, count, job.channels, line.data(),
                  job.out + (size_t{y} * job.to.width + x) * job.channels);
    }
  }
}

// An input row, blended along its columns.
struct Line {
  uint32_t* samples;
  int64_t row = -1;  // none yet
};

// An input row that two output rows need is blended once.
void resize_columns_first(const Resizing& job) {
  const size_t samples = size_t{job.to.width} * job.channels;
  Line upper{job.lines}, lower{job.lines + samples + spare(job.channels)};
  const auto fill = [&](Line& line, uint32_t row) {
    const bool ends = job.ends_picture && row == job.part.height - 1;
    if (line.row != row) {
      blend_row(job.corner + row * job.stride, ends ? Behind::kNothing : Behind::kSomething, job.columns, job.to.width,
                job.channels, line.samples);
    }
    line.row = row;
  };
  for (uint32_t y = 0; y < job.to.height; ++y) {
    const Place row = place(y, job.part.height, job.to.height);
    if (lower.row == row.first) std::swap(upper, lower);
    fill(upper, row.first);
    fill(lower, row.second);
    finish_columns(upper.samples, lower.samples, row.weight, samples, job.out + y * samples);
  }
}

void resize(const woa_input& in, const Window& part, const Size& to, uint8_t* scratch, uint8_t* out) {
  const uint32_t channels = in.dims[2];
  const size_t stride = size_t{in.dims[1]} * channels;
  auto* columns = reinterpret_cast<Place*>(scratch);
  for (uint32_t x = 0; x < to.width; ++x) {
    const Place column = place(x, part.size.width, to.width);
    columns[x] = {column.first * channels, column.second * channels, column.weight};
  }
  const Resizing job{in.data + part.top * stride + size_t{part.left} * channels,
                     stride,
                     channels,
                     part.size,
                     to,
                     part.top + part.size.height == in.dims[0],
                     columns,
                     reinterpret_cast<uint32_t*>(columns + to.width),
                     out};
  rows_first(job) ? resize_rows_first(job) : resize_columns_first(job);
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
  const uint64_t needed =
      made.width * sizeof(Place) + 2 * (size_t{made.width} * channels + spare(channels)) * sizeof(uint32_t);
  if (needed > firing->scratch_bytes) {
    return woa_fail(error, WOA_EXHAUSTED, "%llu bytes of scratch are needed, there are %llu; raise `scratch`",
                    static_cast<unsigned long long>(needed), static_cast<unsigned long long>(firing->scratch_bytes));
  }
  resize(ins[0], window(from, to), made, firing->scratch, outs[0].data);
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .size = size, .run = run)
