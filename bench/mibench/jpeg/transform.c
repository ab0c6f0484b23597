/* The cosine transform of blocks (Loeffler, Ligtenberg and Moschytz, 1989) and the quantisation of what it gives. A
 * pass transforms eight vectors side by side; element k of vector v lies at [8 k + v]. */
#include "bench/mibench/jpeg/codec.h"

static inline int32_t descale(int32_t value, int places) { return (value + (1 << (places - 1))) >> places; }

/* Odd elements: four differences, turned by two pairs of rotations that share their products. */
static inline void transform_odd(const int32_t d[4], int places, int32_t *out) {
  const int32_t all = (d[0] + d[1] + d[2] + d[3]) * kCos1_175;
  const int32_t outer = (d[0] + d[3]) * -kCos0_899, inner = (d[1] + d[2]) * -kCos2_562;
  const int32_t even = (d[1] + d[3]) * -kCos1_961 + all, odd = (d[0] + d[2]) * -kCos0_390 + all;
  out[1 * 8] = descale(d[0] * kCos1_501 + outer + odd, places);
  out[3 * 8] = descale(d[1] * kCos3_072 + inner + even, places);
  out[5 * 8] = descale(d[2] * kCos2_053 + inner + odd, places);
  out[7 * 8] = descale(d[3] * kCos0_298 + outer + even, places);
}

/* The first pass keeps places, the second one drops them. */
static inline void transform_vectors(const int32_t *in, int first, int32_t *out) {
  const int places = first ? kPlaces - kKeptPlaces : kPlaces + kKeptPlaces;
  for (int v = 0; v < 8; ++v, ++in, ++out) {
    const int32_t s0 = in[0] + in[7 * 8], s1 = in[8] + in[6 * 8], s2 = in[2 * 8] + in[5 * 8],
                  s3 = in[3 * 8] + in[4 * 8];
    const int32_t d[4] = {in[0] - in[7 * 8], in[8] - in[6 * 8], in[2 * 8] - in[5 * 8], in[3 * 8] - in[4 * 8]};
    const int32_t sum = s0 + s3 + s1 + s2, difference = s0 + s3 - s1 - s2;
    out[0] = first ? sum * (1 << kKeptPlaces) : descale(sum, kKeptPlaces);
    out[4 * 8] = first ? difference * (1 << kKeptPlaces) : descale(difference, kKeptPlaces);
    const int32_t a = s0 - s3, b = s1 - s2, both = (a + b) * kCos0_541;
    out[2 * 8] = descale(both + a * kCos0_765, places);
    out[6 * 8] = descale(both - b * kCos1_847, places);
    transform_odd(d, places, out);
  }
}

/* Divisions by 8 x step (the transform gives 8 times its result) as products: exact for the numbers that occur. */
typedef struct divisors {
  uint32_t half[kBlockSize], factor[kBlockSize];
} divisors;

static void make_divisors(const uint16_t steps[kBlockSize], divisors *by) {
  for (int k = 0; k < kBlockSize; ++k) {
    const uint32_t divisor = (uint32_t)steps[k] * 8;
    by->half[k] = divisor / 2;
    by->factor[k] = (uint32_t)((UINT64_C(1) << 32) / divisor) + 1;
  }
}

/* Rounds to the nearest, halves away from 0. */
static inline void quantise(const int32_t *in, const divisors *by, int16_t *out) {
  for (int k = 0; k < kBlockSize; ++k) {
    const int32_t sign = in[k] >> 31;
    const uint32_t magnitude = (uint32_t)((in[k] ^ sign) - sign) + by->half[k];
    const int32_t quotient = (int32_t)(((uint64_t)magnitude * by->factor[k]) >> 32);
    out[k] = (int16_t)((quotient ^ sign) - sign);
  }
}

static inline void transpose(const int32_t *in, int32_t *out) {
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) out[8 * c + r] = in[8 * r + c];
  }
}

void codec_transform(const uint8_t *plane, int rows, int columns, const uint16_t steps[kBlockSize], int16_t *out) {
  const ptrdiff_t stride = (ptrdiff_t)columns * kBlock;
  divisors by;
  make_divisors(steps, &by);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column, out += kBlockSize) {
      const uint8_t *samples = plane + row * kBlock * stride + (ptrdiff_t)column * kBlock;
      int32_t a[kBlockSize], b[kBlockSize];
      for (int y = 0; y < kBlock; ++y) {
        for (int x = 0; x < kBlock; ++x) a[8 * x + y] = samples[y * stride + x] - kCentre;
      }
      transform_vectors(a, 1, b);
      transpose(b, a);
      transform_vectors(a, 0, b);
      quantise(b, &by, out);
    }
  }
}
