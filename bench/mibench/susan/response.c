#include <string.h>

#include "bench/mibench/susan/susan.h"

/* Adds how alike the pixels of a row of the mask are to the centre. */
static inline int add_row(const uint8_t *row, int half, const uint8_t *alike_centre) {
  int sum = 0;
  for (int dx = -half; dx <= half; ++dx) sum += alike_centre[row[dx]];
  return sum;
}

static inline int sum_mask(const uint8_t *pixel, ptrdiff_t width, const uint8_t *alike_centre) {
  return add_row(pixel - 3 * width, 1, alike_centre) + add_row(pixel - 2 * width, 2, alike_centre) +
         add_row(pixel - width, 3, alike_centre) + add_row(pixel, 3, alike_centre) +
         add_row(pixel + width, 3, alike_centre) + add_row(pixel + 2 * width, 2, alike_centre) +
         add_row(pixel + 3 * width, 1, alike_centre);
}

void susan_respond(const uint8_t *picture, int width, int height, const uint8_t table[kDifferences],
                   int32_t *response) {
  memset(response, 0, (size_t)width * (size_t)height * sizeof *response);
  for (int y = kRadius; y < height - kRadius; ++y) {
    const uint8_t *row = picture + (size_t)y * (size_t)width;
    int32_t *out = response + (size_t)y * (size_t)width;
    for (int x = kRadius; x < width - kRadius; ++x) {
      const int sum = sum_mask(row + x, width, table + kDifferences / 2 - row[x]);
      out[x] = sum <= kGeometric ? kGeometric - sum : 0;
    }
  }
}
