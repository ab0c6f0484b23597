/* Cb and Cr of every pixel by a triangle filter (three quarters of the nearer sample, one of the next, in each
 * direction), and the colours from Y, Cb and Cr with 16 binary places. */
#include "bench/mibench/jpeg/codec.h"

enum { kShift = 16, kHalf = 1 << (kShift - 1), kNarrow = 2 };

static inline uint8_t clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value); }

static inline void paint_pixel(int y, int cb, int cr, uint8_t *pixel) {
  cb -= kCentre;
  cr -= kCentre;
  pixel[0] = clamp(y + ((91881 * cr + kHalf) >> kShift));
  pixel[1] = clamp(y + ((kHalf - 22554 * cb - 46802 * cr) >> kShift));
  pixel[2] = clamp(y + ((116130 * cb + kHalf) >> kShift));
}

/* A component's two rows of samples from which a row of pixels is made. */
typedef struct source {
  const uint8_t *near, *far;
} source;

static inline int mix(const source *s, int x) { return 3 * s->near[x] + s->far[x]; }

/* Samples of pixels 2 x and 2 x + 1. */
static inline void widen(const source *s, int x, int count, int out[2]) {
  const int here = mix(s, x);
  out[0] = x == 0 ? (4 * here + 8) >> 4 : (3 * here + mix(s, x - 1) + 8) >> 4;
  out[1] = x == count - 1 ? (4 * here + 7) >> 4 : (3 * here + mix(s, x + 1) + 7) >> 4;
}

static void paint_row(const uint8_t *y, const source *cb, const source *cr, int width, uint8_t *image) {
  const int count = (width + 1) / 2;
  for (int x = 0; x < count; ++x) {
    int blue[2], red[2];
    widen(cb, x, count, blue);
    widen(cr, x, count, red);
    for (int k = 0; k < 2 && 2 * x + k < width; ++k) {
      paint_pixel(y[2 * x + k], blue[k], red[k], image + (ptrdiff_t)(2 * x + k) * kChannels);
    }
  }
}

/* A picture this narrow has its samples doubled. */
static void paint_narrow_row(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int width, uint8_t *image) {
  for (int x = 0; x < width; ++x) paint_pixel(y[x], cb[x / 2], cr[x / 2], image + (ptrdiff_t)x * kChannels);
}

void codec_paint(const const_planes *in, int height, int width, uint8_t *image) {
  const ptrdiff_t y_stride = (ptrdiff_t)codec_blocks((uint32_t)width) * kBlock;
  const ptrdiff_t stride = (ptrdiff_t)codec_chroma_blocks((uint32_t)width) * kBlock;
  const int rows = (height + 1) / 2;
  for (int y = 0; y < height; ++y, image += (ptrdiff_t)width * kChannels) {
    const int nearest = y / 2;
    int next = y % 2 == 0 ? nearest - 1 : nearest + 1;
    if (next < 0 || next >= rows) next = nearest;
    const source cb = {in->cb + nearest * stride, in->cb + next * stride};
    const source cr = {in->cr + nearest * stride, in->cr + next * stride};
    const uint8_t *luminance = in->y + y * y_stride;
    if ((width + 1) / 2 <= kNarrow) {
      paint_narrow_row(luminance, cb.near, cr.near, width, image);
    } else {
      paint_row(luminance, &cb, &cr, width, image);
    }
  }
}
