/* Colours to Y, Cb and Cr with 16 binary places, and the mean of 2 x 2 samples of Cb and Cr. Whole blocks are filled up
 * with the last pixel of a row, and with the last row of a plane. */
#include "bench/mibench/jpeg/codec.h"

enum { kShift = 16, kHalf = 1 << (kShift - 1), kOffset = (kCentre << kShift) + kHalf - 1 };

static inline uint8_t luminance(const uint8_t *p) {
  return (uint8_t)((19595 * p[0] + 38470 * p[1] + 7471 * p[2] + kHalf) >> kShift);
}

static inline int blueness(const uint8_t *p) {
  return (32768 * p[2] - 11059 * p[0] - 21709 * p[1] + kOffset) >> kShift;
}

static inline int redness(const uint8_t *p) { return (32768 * p[0] - 27439 * p[1] - 5329 * p[2] + kOffset) >> kShift; }

static void convert_row(const uint8_t *image, int width, int columns, uint8_t *y) {
  for (int x = 0; x < width; ++x) y[x] = luminance(image + (ptrdiff_t)x * kChannels);
  memset(y + width, y[width - 1], (size_t)(columns - width));
}

/* The means of two rows. Halves are rounded down and up in turns. */
static void average_rows(const uint8_t *upper, const uint8_t *lower, int width, int columns, uint8_t *cb, uint8_t *cr) {
  const int whole = width / 2;
  for (int x = 0; x < columns; ++x) {
    const ptrdiff_t left = (ptrdiff_t)kChannels * (x < whole ? 2 * x : width - 1);
    const ptrdiff_t right = (ptrdiff_t)kChannels * (x < whole ? 2 * x + 1 : width - 1);
    const int bias = 1 + x % 2;
    cb[x] = (uint8_t)((blueness(upper + left) + blueness(upper + right) + blueness(lower + left) +
                       blueness(lower + right) + bias) >>
                      2);
    cr[x] = (uint8_t)((redness(upper + left) + redness(upper + right) + redness(lower + left) + redness(lower + right) +
                       bias) >>
                      2);
  }
}

/* Fills rows [filled, rows) of a plane with the row before them. */
static void repeat_last_row(uint8_t *plane, int filled, int rows, int columns) {
  const uint8_t *last = plane + (ptrdiff_t)(filled - 1) * columns;
  for (int y = filled; y < rows; ++y) memcpy(plane + (ptrdiff_t)y * columns, last, (size_t)columns);
}

void codec_convert(const uint8_t *image, int height, int width, const planes *out) {
  const ptrdiff_t row_bytes = (ptrdiff_t)width * kChannels;
  const int columns = (int)codec_blocks((uint32_t)width) * kBlock;
  const int chroma_columns = (int)codec_chroma_blocks((uint32_t)width) * kBlock;
  for (int y = 0; y < height; ++y) convert_row(image + y * row_bytes, width, columns, out->y + (ptrdiff_t)y * columns);
  repeat_last_row(out->y, height, (int)codec_blocks((uint32_t)height) * kBlock, columns);
  const int pairs = (height + 1) / 2;
  for (int y = 0; y < pairs; ++y) {
    const uint8_t *upper = image + 2 * y * row_bytes;
    const uint8_t *lower = 2 * y + 1 < height ? upper + row_bytes : upper;
    const ptrdiff_t at = (ptrdiff_t)y * chroma_columns;
    average_rows(upper, lower, width, chroma_columns, out->cb + at, out->cr + at);
  }
  const int chroma_rows = (int)codec_chroma_blocks((uint32_t)height) * kBlock;
  repeat_last_row(out->cb, pairs, chroma_rows, chroma_columns);
  repeat_last_row(out->cr, pairs, chroma_rows, chroma_columns);
}
