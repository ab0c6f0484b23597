#include <math.h>
#include <string.h>

#include "bench/mibench/susan/susan.h"

enum { kSurely = 600, kByCentre = 1, kBySymmetry = 2, kSteep = 1000000 };

/* Sums over the mask, each pixel weighted by how alike it is to the centre. */
typedef struct moments {
  int x, y, xx, yy, xy;
} moments;

/* The step across the edge, and the number of the rule that found it. */
typedef struct direction {
  int dy, dx, rule;
} direction;

static moments sum_moments(const uint8_t *pixel, ptrdiff_t width, const uint8_t *alike_centre) {
  moments sums = {0, 0, 0, 0, 0};
  for (int dy = -kRadius; dy <= kRadius; ++dy) {
    const int half = kHalfWidth[dy + kRadius];
    int row = 0, row_x = 0;
    for (int dx = -half; dx <= half; ++dx) {
      const int weight = alike_centre[pixel[dy * width + dx]];
      row += weight;
      row_x += weight * dx;
      sums.xx += weight * dx * dx;
    }
    sums.x += row_x;
    sums.y += row * dy;
    sums.yy += row * dy * dy;
    sums.xy += row_x * dy;
  }
  return sums;
}

/* A centre of gravity aside of the pixel: the edge lies across the way to it. */
static direction from_centre(const moments *sums) {
  const float slope = sums->x == 0 ? (float)kSteep : (float)sums->y / (float)sums->x;
  const float steep = fabsf(slope);
  if (steep < 0.5F) return (direction){0, 1, kByCentre};
  if (steep > 2.0F) return (direction){1, 0, kByCentre};
  return (direction){slope > 0 ? 1 : -1, 1, kByCentre};
}

/* Else the edge is the axis of symmetry. */
static direction from_symmetry(const moments *sums) {
  const float ratio = sums->yy == 0 ? (float)kSteep : (float)sums->xx / (float)sums->yy;
  if (ratio < 0.5F) return (direction){0, 1, kBySymmetry};
  if (ratio > 2.0F) return (direction){1, 0, kBySymmetry};
  return (direction){sums->xy > 0 ? -1 : 1, 1, kBySymmetry};
}

static int is_aside(const moments *sums, int sum) {
  const float distance = (float)(sums->x * sums->x + sums->y * sums->y);
  return sum > kSurely && sqrt((double)distance) > 0.9 * (double)(float)sum;
}

/* True for the largest response of two pixels on either side across the edge. */
static int is_ridge(const int32_t *response, ptrdiff_t step) {
  const int32_t here = response[0];
  return here > response[step] && here >= response[-step] && here > response[2 * step] && here >= response[-2 * step];
}

void susan_direct(const uint8_t *picture, const int32_t *response, int width, int height,
                  const uint8_t table[kDifferences], uint8_t *map) {
  memset(map, kOff, (size_t)width * (size_t)height);
  for (int y = kRadius + 1; y < height - kRadius - 1; ++y) {
    for (int x = kRadius + 1; x < width - kRadius - 1; ++x) {
      const size_t at = (size_t)y * (size_t)width + (size_t)x;
      if (response[at] <= 0) continue;
      const moments sums = sum_moments(picture + at, width, table + kDifferences / 2 - picture[at]);
      const direction across = is_aside(&sums, kGeometric - response[at]) ? from_centre(&sums) : from_symmetry(&sums);
      if (is_ridge(response + at, (ptrdiff_t)across.dy * width + across.dx)) map[at] = (uint8_t)across.rule;
    }
  }
}
