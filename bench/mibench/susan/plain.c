/* The response and the direction of SUSAN as plain loops, for the time of the kernels beside them. */
#include "bench/mibench/susan/plain.h"

#include <math.h>
#include <string.h>

static const int kHalf[7] = {1, 2, 3, 3, 3, 2, 1};
static uint8_t alike[511]; /* by the difference of two pixels + 255 */

static void fill_table(void) {
  if (alike[255] != 0) return;
  for (int k = -255; k <= 255; ++k) alike[k + 255] = (uint8_t)(float)(100 * exp(-pow(k / 20.0, 6)));
}

void plain_response(const uint8_t *picture, int width, int height, int32_t *response) {
  fill_table();
  memset(response, 0, sizeof *response * (size_t)width * (size_t)height);
  for (int y = 3; y < height - 3; ++y) {
    for (int x = 3; x < width - 3; ++x) {
      const uint8_t *here = picture + y * width + x, *by = alike + 255 - *here;
      const uint8_t *a = here - 3 * width, *b = here - 2 * width, *c = here - width;
      const uint8_t *d = here + width, *e = here + 2 * width, *f = here + 3 * width;
      int n = by[a[-1]] + by[a[0]] + by[a[1]];
      n += by[b[-2]] + by[b[-1]] + by[b[0]] + by[b[1]] + by[b[2]];
      n += by[c[-3]] + by[c[-2]] + by[c[-1]] + by[c[0]] + by[c[1]] + by[c[2]] + by[c[3]];
      n += by[here[-3]] + by[here[-2]] + by[here[-1]] + by[here[0]] + by[here[1]] + by[here[2]] + by[here[3]];
      n += by[d[-3]] + by[d[-2]] + by[d[-1]] + by[d[0]] + by[d[1]] + by[d[2]] + by[d[3]];
      n += by[e[-2]] + by[e[-1]] + by[e[0]] + by[e[1]] + by[e[2]];
      n += by[f[-1]] + by[f[0]] + by[f[1]];
      if (n <= 2650) response[y * width + x] = 2650 - n;
    }
  }
}

void plain_direction(const uint8_t *picture, const int32_t *response, int width, int height, uint8_t *map) {
  memset(map, 100, (size_t)width * (size_t)height);
  for (int y = 4; y < height - 4; ++y) {
    for (int x = 4; x < width - 4; ++x) {
      const int32_t *r = response + y * width + x;
      if (*r <= 0) continue;
      const uint8_t *here = picture + y * width + x, *by = alike + 255 - *here;
      int sx = 0, sy = 0, xx = 0, yy = 0, xy = 0, step;
      for (int dy = -3; dy <= 3; ++dy) {
        int row = 0, row_x = 0;
        for (int dx = -kHalf[dy + 3]; dx <= kHalf[dy + 3]; ++dx) {
          const int v = by[here[dy * width + dx]];
          row += v, row_x += v * dx, xx += v * dx * dx;
        }
        sx += row_x, sy += row * dy, xy += row_x * dy, yy += row * dy * dy;
      }
      const int n = 2650 - *r, aside = n > 600 && sqrt((double)(float)(sx * sx + sy * sy)) > 0.9 * n;
      float z = aside ? sx == 0 ? 1e6F : (float)sy / (float)sx : yy == 0 ? 1e6F : (float)xx / (float)yy;
      const int down = aside ? z > 0 : xy <= 0;
      z = fabsf(z);
      step = z < 0.5F ? 1 : z > 2.0F ? width : down ? width + 1 : 1 - width;
      if (*r > r[step] && *r >= r[-step] && *r > r[2 * step] && *r >= r[-2 * step]) map[y * width + x] = aside ? 1 : 2;
    }
  }
}
