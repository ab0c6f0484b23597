/* The hot stages of JPEG as plain loops over pixels and blocks, for the time of the kernels beside them. */
#include "bench/mibench/jpeg/plain.h"

static int round_off(int value, int places) { return (value + (1 << (places - 1))) >> places; }
static uint8_t clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

void plain_convert(const uint8_t *image, int height, int width, uint8_t *y, uint8_t *cb, uint8_t *cr) {
  for (int row = 0; row < height; row += 2) {
    for (int x = 0; x < width; x += 2) {
      int blue = 0, red = 0;
      for (int k = 0; k < 4; ++k) {
        const int at = (row + k / 2) * width + x + k % 2;
        const int r = image[3 * at], g = image[3 * at + 1], b = image[3 * at + 2];
        y[at] = (uint8_t)((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
        blue += (32768 * b - 11059 * r - 21709 * g + 8421375) >> 16;
        red += (32768 * r - 27439 * g - 5329 * b + 8421375) >> 16;
      }
      const int bias = 1 + x / 2 % 2, at = row / 2 * (width / 2) + x / 2;
      cb[at] = (uint8_t)((blue + bias) >> 2);
      cr[at] = (uint8_t)((red + bias) >> 2);
    }
  }
}

/* Eight numbers `step` apart; `drop` places go, or two come. */
static void forward(int *v, int step, int drop, int first) {
  const int s0 = v[0] + v[7 * step], s1 = v[step] + v[6 * step], s2 = v[2 * step] + v[5 * step];
  const int s3 = v[3 * step] + v[4 * step], d0 = v[0] - v[7 * step], d1 = v[step] - v[6 * step];
  const int d2 = v[2 * step] - v[5 * step], d3 = v[3 * step] - v[4 * step];
  const int sum = s0 + s1 + s2 + s3, difference = s0 - s1 - s2 + s3, both = (s0 - s3 + s1 - s2) * 4433;
  v[0] = first ? sum * 4 : round_off(sum, 2);
  v[4 * step] = first ? difference * 4 : round_off(difference, 2);
  v[2 * step] = round_off(both + (s0 - s3) * 6270, drop);
  v[6 * step] = round_off(both - (s1 - s2) * 15137, drop);
  const int all = (d0 + d1 + d2 + d3) * 9633, outer = (d0 + d3) * -7373, inner = (d1 + d2) * -20995;
  const int even = (d1 + d3) * -16069 + all, odd = (d0 + d2) * -3196 + all;
  v[step] = round_off(d0 * 12299 + outer + odd, drop);
  v[3 * step] = round_off(d1 * 25172 + inner + even, drop);
  v[5 * step] = round_off(d2 * 16819 + inner + odd, drop);
  v[7 * step] = round_off(d3 * 2446 + outer + even, drop);
}

void plain_transform(const uint8_t *plane, int height, int width, const uint16_t *steps, int16_t *coefficients) {
  for (int row = 0; row < height; row += 8) {
    for (int column = 0; column < width; column += 8, coefficients += 64) {
      int block[64];
      for (int k = 0; k < 64; ++k) block[k] = plane[(row + k / 8) * width + column + k % 8] - 128;
      for (int k = 0; k < 8; ++k) forward(block + 8 * k, 1, 11, 1);
      for (int k = 0; k < 8; ++k) forward(block + k, 8, 15, 0);
      for (int k = 0; k < 64; ++k) {
        const int by = 8 * steps[k];
        coefficients[k] = (int16_t)((block[k] < 0 ? block[k] - by / 2 : block[k] + by / 2) / by);
      }
    }
  }
}

static void inverse(int *v, int step, int drop) {
  const int c1 = v[step], c3 = v[3 * step], c5 = v[5 * step], c7 = v[7 * step];
  const int both = (v[2 * step] + v[6 * step]) * 4433, slow = both + v[2 * step] * 6270;
  const int fast = both - v[6 * step] * 15137, sum = (v[0] + v[4 * step]) * 8192;
  const int difference = (v[0] - v[4 * step]) * 8192, all = (c1 + c3 + c5 + c7) * 9633;
  const int outer = (c1 + c7) * -7373, inner = (c3 + c5) * -20995;
  const int even = (c3 + c7) * -16069 + all, odd = (c1 + c5) * -3196 + all;
  const int e[4] = {sum + slow, difference + fast, difference - fast, sum - slow};
  const int o[4] = {c1 * 12299 + outer + odd, c3 * 25172 + inner + even, c5 * 16819 + inner + odd,
                    c7 * 2446 + outer + even};
  for (int k = 0; k < 4; ++k) {
    v[k * step] = round_off(e[k] + o[k], drop);
    v[(7 - k) * step] = round_off(e[k] - o[k], drop);
  }
}

void plain_restore(const int16_t *coefficients, int height, int width, const uint16_t *steps, uint8_t *plane) {
  for (int row = 0; row < height; row += 8) {
    for (int column = 0; column < width; column += 8, coefficients += 64) {
      int block[64], others = 0;
      for (int k = 0; k < 64; ++k) block[k] = coefficients[k] * steps[k];
      for (int k = 1; k < 64; ++k) others |= block[k];
      if (others == 0) { /* one value all over */
        for (int k = 1; k < 64; ++k) block[k] = block[0];
        for (int k = 0; k < 64; ++k) block[k] = round_off(block[k], 3);
      } else {
        for (int k = 0; k < 8; ++k) inverse(block + k, 8, 11);
        for (int k = 0; k < 8; ++k) inverse(block + 8 * k, 1, 18);
      }
      for (int k = 0; k < 64; ++k) plane[(row + k / 8) * width + column + k % 8] = clamp(block[k] + 128);
    }
  }
}

/* A sample of Cb or Cr at a pixel: 9, 3, 3 and 1 sixteenths of the four around it. */
static int smooth(const uint8_t *near, const uint8_t *far, int x, int last) {
  const int here = x / 2, side = x % 2 == 0 ? (here > 0 ? here - 1 : 0) : (here < last ? here + 1 : last);
  return (3 * (3 * near[here] + far[here]) + 3 * near[side] + far[side] + 8 - x % 2) >> 4;
}

void plain_paint(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int height, int width, uint8_t *image) {
  const int rows = height / 2, columns = width / 2;
  for (int row = 0; row < height; ++row) {
    const int near = row / 2, next = row % 2 == 0 ? near - 1 : near + 1;
    const int far = next < 0 || next == rows ? near : next;
    for (int x = 0; x < width; ++x, image += 3) {
      const int blue = smooth(cb + near * columns, cb + far * columns, x, columns - 1) - 128;
      const int red = smooth(cr + near * columns, cr + far * columns, x, columns - 1) - 128;
      const int light = *y++;
      image[0] = clamp(light + ((91881 * red + 32768) >> 16));
      image[1] = clamp(light + ((32768 - 22554 * blue - 46802 * red) >> 16));
      image[2] = clamp(light + ((116130 * blue + 32768) >> 16));
    }
  }
}
