/* Colours to Y, Cb and Cr with 16 binary places, and the mean of 2 x 2 samples of Cb and Cr. Whole blocks are filled up
 * with the last pixel of a row, and with the last row of a plane. */
#include "bench/mibench/jpeg/codec.h"

enum { kShift = 16, kHalf = 1 << (kShift - 1), kOffset = (kCentre << kShift) + kHalf - 1 };

/* Two rows of pixels, and the rows of samples that they give. */
typedef struct row_pair {
  const uint8_t *upper, *lower;
  uint8_t *upper_y, *lower_y, *cb, *cr;
} row_pair;

/* Cb and Cr of pixels, added up. */
typedef struct chroma {
  int cb, cr;
} chroma;

static inline void add_pixel(const uint8_t *pixel, uint8_t *y, chroma *sum) {
  const int red = pixel[0], green = pixel[1], blue = pixel[2];
  *y = (uint8_t)((19595 * red + 38470 * green + 7471 * blue + kHalf) >> kShift);
  sum->cb += (32768 * blue - 11059 * red - 21709 * green + kOffset) >> kShift;
  sum->cr += (32768 * red - 27439 * green - 5329 * blue + kOffset) >> kShift;
}

/* Means of four; halves are rounded down and up in turns. */
static inline void set_chroma(const row_pair *rows, int x, const chroma *sum) {
  const int bias = 1 + x % 2;
  rows->cb[x] = (uint8_t)((sum->cb + bias) >> 2);
  rows->cr[x] = (uint8_t)((sum->cr + bias) >> 2);
}

static void convert_rows(const row_pair *rows, int width) {
  for (int x = 0; x < width / 2; ++x) {
    const ptrdiff_t left = 2 * (ptrdiff_t)x, at = left * kChannels;
    chroma sum = {0, 0};
    add_pixel(rows->upper + at, rows->upper_y + left, &sum);
    add_pixel(rows->upper + at + kChannels, rows->upper_y + left + 1, &sum);
    add_pixel(rows->lower + at, rows->lower_y + left, &sum);
    add_pixel(rows->lower + at + kChannels, rows->lower_y + left + 1, &sum);
    set_chroma(rows, x, &sum);
  }
}

/* Repeats the last pixel up to the ends of whole blocks. */
static void fill_rows(const row_pair *rows, int width, int columns, int chroma_columns) {
  const ptrdiff_t last = width - 1;
  chroma sum = {0, 0};
  add_pixel(rows->upper + last * kChannels, rows->upper_y + last, &sum);
  add_pixel(rows->lower + last * kChannels, rows->lower_y + last, &sum);
  memset(rows->upper_y + width, rows->upper_y[last], (size_t)(columns - width));
  memset(rows->lower_y + width, rows->lower_y[last], (size_t)(columns - width));
  const chroma doubled = {2 * sum.cb, 2 * sum.cr};
  for (int x = width / 2; x < chroma_columns; ++x) set_chroma(rows, x, &doubled);
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
  const int pairs = (height + 1) / 2;
  for (int pair = 0; pair < pairs; ++pair) {
    const int upper = 2 * pair, lower = upper + 1 < height ? upper + 1 : upper;
    const ptrdiff_t at = (ptrdiff_t)pair * chroma_columns;
    const row_pair rows = {.upper = image + upper * row_bytes,
                           .lower = image + lower * row_bytes,
                           .upper_y = out->y + (ptrdiff_t)upper * columns,
                           .lower_y = out->y + (ptrdiff_t)lower * columns,
                           .cb = out->cb + at,
                           .cr = out->cr + at};
    convert_rows(&rows, width);
    fill_rows(&rows, width, columns, chroma_columns);
  }
  repeat_last_row(out->y, height, (int)codec_blocks((uint32_t)height) * kBlock, columns);
  const int chroma_rows = (int)codec_chroma_blocks((uint32_t)height) * kBlock;
  repeat_last_row(out->cb, pairs, chroma_rows, chroma_columns);
  repeat_last_row(out->cr, pairs, chroma_rows, chroma_columns);
}
