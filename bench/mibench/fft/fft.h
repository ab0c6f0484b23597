/* The Fourier transform of 2 to 65,536 samples: the steps that the kernels of `fft` share.
 *
 * An array f32[blocks,2,size] has a block for each part that is transformed by itself: `size` real parts, then `size`
 * imaginary ones. Reversal makes a block of each sample. A stage of butterflies joins neighbours, so it halves the
 * blocks and doubles their size. One block is left after log2(samples) stages.
 *
 * The forward transform has factors e^(+2 pi i n k / samples), the inverse one e^(-2 pi i n k / samples) and a
 * division by the number of samples, as MiBench has them. Blocks are float; factors, products and sums are double. The
 * last bits of a factor depend on its recurrence, so every variant runs the same one, without contraction. */
#ifndef WOA_BENCH_MIBENCH_FFT_FFT_H
#define WOA_BENCH_MIBENCH_FFT_FFT_H

#include "bench/mibench/kept_number.h"

enum { kMostSamples = 65536, kParts = 2 /* real and imaginary */ };

/* Iterations of the next loop are independent, though its input and its output may be the same memory. clang, which has
 * no such hint, checks addresses as the loop begins. */
#if defined(__clang__)
#define FFT_INDEPENDENT
#else
#define FFT_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Cosine and sine of 2 pi / 2^k; fft_butterflies.cu has the same numbers. */
static const double kCosine[17] = {
    0x1.0000000000000p+0, -0x1.0000000000000p+0, 0x1.1a62633145c07p-54, 0x1.6a09e667f3bcdp-1, 0x1.d906bcf328d46p-1,
    0x1.f6297cff75cb0p-1, 0x1.fd88da3d12526p-1,  0x1.ff621e3796d7ep-1,  0x1.ffd886084cd0dp-1, 0x1.fff62169b92dbp-1,
    0x1.fffd8858e8a92p-1, 0x1.ffff621621d02p-1,  0x1.ffffd88586ee6p-1,  0x1.fffff62161a34p-1, 0x1.fffffd8858675p-1,
    0x1.ffffff621619cp-1, 0x1.ffffffd885867p-1};
static const double kSine[17] = {
    -0x1.1a62633145c07p-52, 0x1.1a62633145c07p-53, 0x1.0000000000000p+0,  0x1.6a09e667f3bccp-1,  0x1.87de2a6aea963p-2,
    0x1.8f8b83c69a60ap-3,   0x1.917a6bc29b42cp-4,  0x1.91f65f10dd814p-5,  0x1.92155f7a3667ep-6,  0x1.921d1fcdec784p-7,
    0x1.921f0fe670071p-8,   0x1.921f8becca4bap-9,  0x1.921faaee6472dp-10, 0x1.921fb2aecb360p-11, 0x1.921fb49ee4ea6p-12,
    0x1.921fb51aeb57bp-13,  0x1.921fb539ecf31p-14};

static inline int fft_is_power(uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

/* log2 of a power of two. */
static inline uint32_t fft_log2(uint32_t power) { return (uint32_t)__builtin_ctz(power); }

static inline woa_status fft_check_count(uint64_t samples, woa_error *error) {
  if (samples >= 2 && samples <= kMostSamples && fft_is_power(samples)) return WOA_OK;
  return woa_fail(error, WOA_INVALID,
                  "there are %llu samples, expected a power of two from 2 to %d; cut the input or append zeros",
                  (unsigned long long)samples, kMostSamples);
}

/* Keeps the direction: 1 for the inverse transform. */
static inline woa_status fft_create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_choice(params, count, "direction", "forward", "inverse", self, error);
}

static inline void fft_describe(woa_output *out, uint32_t blocks, uint32_t size) {
  out->dims[0] = blocks;
  out->dims[1] = kParts;
  out->dims[2] = size;
  out->bytes = (uint64_t)blocks * kParts * size * sizeof(float);
}

/* Fails for a transform with more than one block left. */
static inline woa_status fft_check_whole(const woa_input *blocks, woa_error *error) {
  if (blocks->dims[0] == 1) return WOA_OK;
  return woa_fail(
      error, WOA_INVALID,
      "%u blocks of %u are left, expected one: the graph has fewer stages than log2 of the samples; use the "
      "graph for this number of samples, or coarse.yaml",
      blocks->dims[0], blocks->dims[2]);
}

/* Writes blocks of one sample each, from the place whose number has its bits in reverse. */
static inline void fft_reverse(const float *samples, uint32_t count, float *blocks) {
  uint32_t place = 0;
  for (size_t k = 0; k < count; ++k) {
    blocks[2 * k] = samples[place];
    blocks[2 * k + 1] = 0;
    uint32_t bit = count / 2;
    for (; place & bit; bit /= 2) place ^= bit;
    place |= bit;
  }
}

/* The factors that join two blocks of `size`: real parts, then imaginary ones. */
static inline void fft_make_factors(uint32_t size, int inverse, double *factors) {
  const uint32_t k = fft_log2(size) + 1;
  const double sign = inverse ? 1 : -1, twice = 2 * kCosine[k];
  double before_re = kCosine[k - 1], re = kCosine[k], before_im = sign * kSine[k - 1], im = sign * kSine[k];
  for (uint32_t n = 0; n < size; ++n) {
    const double next_re = twice * re - before_re, next_im = twice * im - before_im;
    before_re = re, before_im = im;
    factors[n] = re = next_re;
    factors[size + n] = im = next_im;
  }
}

/* Joins `pairs` neighbours of `size`; `out` may be `in`. The compiler unrolls this for the sizes that are constants. */
static inline __attribute__((always_inline)) void fft_join_pairs(const float *in, float *out, size_t pairs, size_t size,
                                                                 const double *factors) {
  for (size_t k = 0; k < pairs; ++k, in += 4 * size, out += 4 * size) {
    FFT_INDEPENDENT
    for (size_t n = 0; n < size; ++n) {
      const float a_re = in[n], a_im = in[size + n], b_re = in[2 * size + n], b_im = in[3 * size + n];
      const double w_re = factors[n], w_im = factors[size + n];
      const double re = w_re * b_re - w_im * b_im, im = w_re * b_im + w_im * b_re;
      out[n] = (float)(a_re + re);
      out[size + n] = (float)(a_re - re);
      out[2 * size + n] = (float)(a_im + im);
      out[3 * size + n] = (float)(a_im - im);
    }
  }
}

/* One stage: joins blocks of `size` in pairs. `out` may be `in`; `factors` has room for 2 * size. */
static inline void fft_stage(const float *in, float *out, uint32_t pairs, uint32_t size, int inverse, double *factors) {
  fft_make_factors(size, inverse, factors);
  if (size == 1) {
    fft_join_pairs(in, out, pairs, 1, factors);
  } else if (size == 2) {
    fft_join_pairs(in, out, pairs, 2, factors);
  } else {
    fft_join_pairs(in, out, pairs, size, factors);
  }
}

/* Divides by the number of samples, a power of two, so a product is exact; `out` may be `in`. */
static inline void fft_divide(const float *in, float *out, uint32_t samples) {
  const float share = 1 / (float)samples;
  FFT_INDEPENDENT
  for (size_t k = 0; k < (size_t)kParts * samples; ++k) out[k] = in[k] * share;
}

#endif /* WOA_BENCH_MIBENCH_FFT_FFT_H */
