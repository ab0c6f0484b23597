/* The transform of fft as plain loops over two arrays, for the time of the kernels beside it. */
#include "bench/mibench/fft/plain.h"

#include <math.h>

static void join(float *restrict re, float *restrict im, float *restrict re_b, float *restrict im_b, uint32_t size,
                 const double *restrict cosine, const double *restrict sine) {
  for (uint32_t n = 0; n < size; ++n) {
    const double x = cosine[n] * re_b[n] - sine[n] * im_b[n], y = cosine[n] * im_b[n] + sine[n] * re_b[n];
    re_b[n] = (float)(re[n] - x);
    im_b[n] = (float)(im[n] - y);
    re[n] = (float)(re[n] + x);
    im[n] = (float)(im[n] + y);
  }
}

void plain_transform(const float *samples, uint32_t count, int inverse, float *re, float *im, double *factors) {
  const double pi = 3.14159265358979323846;
  for (uint32_t k = 0, place = 0; k < count; ++k) {
    re[k] = samples[place];
    im[k] = 0;
    uint32_t bit = count / 2;
    for (; place & bit; bit /= 2) place ^= bit;
    place |= bit;
  }
  for (uint32_t size = 1; size < count; size *= 2) {
    const double angle = (inverse ? -pi : pi) / size, twice = 2 * cos(angle);
    double *cosine = factors, *sine = factors + size;
    double c = cos(angle), c_before = cos(2 * angle), s = -sin(angle), s_before = -sin(2 * angle);
    for (uint32_t n = 0; n < size; ++n) {
      const double c_next = twice * c - c_before, s_next = twice * s - s_before;
      c_before = c, s_before = s;
      cosine[n] = c = c_next;
      sine[n] = s = s_next;
    }
    for (uint32_t k = 0; k < count; k += 2 * size)
      join(re + k, im + k, re + k + size, im + k + size, size, cosine, sine);
  }
  const float share = 1 / (float)count;
  for (uint32_t k = 0; inverse && k < count; ++k) {
    re[k] *= share;
    im[k] *= share;
  }
}
