#include <string.h>

#include "bench/mibench/susan/susan.h"

/* How alike the pixels of a row of the mask are to the centre: the sums of three, five and seven. */
static inline int sum_3(const uint8_t *row, const uint8_t *alike_centre) {
  return alike_centre[row[-1]] + alike_centre[row[0]] + alike_centre[row[1]];
}

static inline int sum_5(const uint8_t *row, const uint8_t *alike_centre) {
  return alike_centre[row[-2]] + sum_3(row, alike_centre) + alike_centre[row[2]];
}

static inline int sum_7(const uint8_t *row, const uint8_t *alike_centre) {
  return alike_centre[row[-3]] + sum_5(row, alike_centre) + alike_centre[row[3]];
}

static inline int sum_mask(const uint8_t *pixel, ptrdiff_t width, const uint8_t *alike_centre) {
  return sum_3(pixel - 3 * width, alike_centre) + sum_5(pixel - 2 * width, alike_centre) +
         sum_7(pixel - width, alike_centre) + sum_7(pixel, alike_centre) + sum_7(pixel + width, alike_centre) +
         sum_5(pixel + 2 * width, alike_centre) + sum_3(pixel + 3 * width, alike_centre);
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
