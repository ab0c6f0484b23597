/* Dequantisation and the inverse of the cosine transform. Numbers beyond those of a picture wrap (compiled with
 * -fwrapv): a file may hold any. */
#include "bench/mibench/jpeg/codec.h"

static inline int32_t descale(int32_t value, int places) { return (value + (1 << (places - 1))) >> places; }

/* Four even and four odd elements give eight: sums ahead, differences behind. */
static inline void restore_vectors(const int32_t *in, int places, int32_t *out) {
  for (int v = 0; v < 8; ++v, ++in, ++out) {
    const int32_t c1 = in[8], c3 = in[3 * 8], c5 = in[5 * 8], c7 = in[7 * 8];
    const int32_t both = (in[2 * 8] + in[6 * 8]) * kCos0_541;
    const int32_t slow = both + in[2 * 8] * kCos0_765, fast = both - in[6 * 8] * kCos1_847;
    const int32_t sum = (in[0] + in[4 * 8]) * (1 << kPlaces), difference = (in[0] - in[4 * 8]) * (1 << kPlaces);
    const int32_t e0 = sum + slow, e1 = difference + fast, e2 = difference - fast, e3 = sum - slow;
    const int32_t all = (c1 + c3 + c5 + c7) * kCos1_175;
    const int32_t outer = (c1 + c7) * -kCos0_899, inner = (c3 + c5) * -kCos2_562;
    const int32_t even = (c3 + c7) * -kCos1_961 + all, odd = (c1 + c5) * -kCos0_390 + all;
    const int32_t o0 = c1 * kCos1_501 + outer + odd, o1 = c3 * kCos3_072 + inner + even;
    const int32_t o2 = c5 * kCos2_053 + inner + odd, o3 = c7 * kCos0_298 + outer + even;
    out[0] = descale(e0 + o0, places);
    out[8] = descale(e1 + o1, places);
    out[2 * 8] = descale(e2 + o2, places);
    out[3 * 8] = descale(e3 + o3, places);
    out[4 * 8] = descale(e3 - o3, places);
    out[5 * 8] = descale(e2 - o2, places);
    out[6 * 8] = descale(e1 - o1, places);
    out[7 * 8] = descale(e0 - o0, places);
  }
}

static inline uint8_t to_sample(int32_t value) {
  value += kCentre;
  return (uint8_t)(value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value);
}

static int is_flat(const int16_t *coefficients) {
  int others = 0;
  for (int k = 1; k < kBlockSize; ++k) others |= coefficients[k];
  return others == 0;
}

static void restore_block(const int16_t *coefficients, const uint16_t steps[kBlockSize], ptrdiff_t stride,
                          uint8_t *samples) {
  if (is_flat(coefficients)) {
    const uint8_t sample = to_sample(descale(coefficients[0] * steps[0], 3));
    for (int y = 0; y < kBlock; ++y) memset(samples + y * stride, sample, kBlock);
    return;
  }
  int32_t a[kBlockSize], b[kBlockSize];
  for (int k = 0; k < kBlockSize; ++k) a[k] = coefficients[k] * steps[k];
  restore_vectors(a, kPlaces - kKeptPlaces, b);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) a[8 * x + y] = b[8 * y + x];
  }
  restore_vectors(a, kPlaces + kKeptPlaces + 3, b);
  for (int y = 0; y < kBlock; ++y) {
    for (int x = 0; x < kBlock; ++x) samples[y * stride + x] = to_sample(b[8 * x + y]);
  }
}

void codec_restore(const int16_t *coefficients, int rows, int columns, const uint16_t steps[kBlockSize],
                   uint8_t *plane) {
  const ptrdiff_t stride = (ptrdiff_t)columns * kBlock;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column, coefficients += kBlockSize) {
      restore_block(coefficients, steps, stride, plane + row * kBlock * stride + (ptrdiff_t)column * kBlock);
    }
  }
}
