// Defined in transform.c. One work item per block.
#include "woa_cuda.h"

WOA_TABLE int annex_k[128] = {
    16,  11,  10,  16,  24, 40, 51, 61, 12,  12,  14,  19,  26,  58, 60, 55, 14, 13, 16, 24,  40,  57, 69, 56, 14, 17,
    22,  29,  51,  87,  80, 62, 18, 22, 37,  56,  68,  109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87,
    103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,  17,  18, 24, 47, 99, 99, 99, 99,  18,  21, 26, 66, 99, 99,
    99,  99,  24,  26,  56, 99, 99, 99, 99,  99,  47,  66,  99,  99, 99, 99, 99, 99, 99, 99,  99,  99, 99, 99, 99, 99,
    99,  99,  99,  99,  99, 99, 99, 99, 99,  99,  99,  99,  99,  99, 99, 99, 99, 99, 99, 99,  99,  99, 99, 99};

WOA_FUNCTION int descale(int value, int places) { return (value + (1 << (places - 1))) >> places; }

// One vector of eight, `step` numbers apart; the first pass keeps two places, the second one drops them.
WOA_FUNCTION void transform(int *v, int step, int first) {
  const int places = first ? 11 : 15;
  const int s0 = v[0] + v[7 * step], s1 = v[step] + v[6 * step];
  const int s2 = v[2 * step] + v[5 * step], s3 = v[3 * step] + v[4 * step];
  const int d0 = v[0] - v[7 * step], d1 = v[step] - v[6 * step];
  const int d2 = v[2 * step] - v[5 * step], d3 = v[3 * step] - v[4 * step];
  const int sum = s0 + s3 + s1 + s2, difference = s0 + s3 - s1 - s2;
  v[0] = first ? sum * 4 : descale(sum, 2);
  v[4 * step] = first ? difference * 4 : descale(difference, 2);
  const int a = s0 - s3, b = s1 - s2, both = (a + b) * 4433;
  v[2 * step] = descale(both + a * 6270, places);
  v[6 * step] = descale(both - b * 15137, places);
  const int all = (d0 + d1 + d2 + d3) * 9633;
  const int outer = (d0 + d3) * -7373, inner = (d1 + d2) * -20995;
  const int even = (d1 + d3) * -16069 + all, odd = (d0 + d2) * -3196 + all;
  v[step] = descale(d0 * 12299 + outer + odd, places);
  v[3 * step] = descale(d1 * 25172 + inner + even, places);
  v[5 * step] = descale(d2 * 16819 + inner + odd, places);
  v[7 * step] = descale(d3 * 2446 + outer + even, places);
}

WOA_KERNEL(jpeg_fdct, WOA_IN(woa_u8, plane), WOA_OUT(short, out), int table, int quality) {
  const woa_size width = WOA_DIM(plane, 1);
  WOA_GLOBAL const woa_u8 *samples = plane + 8 * WOA_Y * width + 8 * WOA_X;
  WOA_GLOBAL short *coefficients = out + 64 * (WOA_Y * WOA_DIM(out, 1) + WOA_X);
  int block[64];
  for (int k = 0; k < 64; ++k) block[k] = samples[k / 8 * width + k % 8] - 128;
  for (int k = 0; k < 8; ++k) transform(block + 8 * k, 1, 1);
  for (int k = 0; k < 8; ++k) transform(block + k, 8, 0);
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  for (int k = 0; k < 64; ++k) {
    const int step = (annex_k[64 * table + k] * percent + 50) / 100;
    const int divisor = 8 * (step < 1 ? 1 : step > 32767 ? 32767 : step);
    const int magnitude = ((block[k] < 0 ? -block[k] : block[k]) + divisor / 2) / divisor;
    coefficients[k] = (short)(block[k] < 0 ? -magnitude : magnitude);
  }
}
