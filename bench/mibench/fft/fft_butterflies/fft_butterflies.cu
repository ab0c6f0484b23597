// Defined in fft.h. The first half of a pair's work items writes two numbers of it each, the other half nothing. An
// item runs the recurrence up to its own factor, since only that gives the same bits; all items do so at once.
#include "woa_cuda.h"

WOA_TABLE double cosine[17] = {0x1.0000000000000p+0, -0x1.0000000000000p+0, 0x1.1a62633145c07p-54, 0x1.6a09e667f3bcdp-1,
                               0x1.d906bcf328d46p-1, 0x1.f6297cff75cb0p-1,  0x1.fd88da3d12526p-1,  0x1.ff621e3796d7ep-1,
                               0x1.ffd886084cd0dp-1, 0x1.fff62169b92dbp-1,  0x1.fffd8858e8a92p-1,  0x1.ffff621621d02p-1,
                               0x1.ffffd88586ee6p-1, 0x1.fffff62161a34p-1,  0x1.fffffd8858675p-1,  0x1.ffffff621619cp-1,
                               0x1.ffffffd885867p-1};
WOA_TABLE double sine[17] = {
    -0x1.1a62633145c07p-52, 0x1.1a62633145c07p-53, 0x1.0000000000000p+0,  0x1.6a09e667f3bccp-1,  0x1.87de2a6aea963p-2,
    0x1.8f8b83c69a60ap-3,   0x1.917a6bc29b42cp-4,  0x1.91f65f10dd814p-5,  0x1.92155f7a3667ep-6,  0x1.921d1fcdec784p-7,
    0x1.921f0fe670071p-8,   0x1.921f8becca4bap-9,  0x1.921faaee6472dp-10, 0x1.921fb2aecb360p-11, 0x1.921fb49ee4ea6p-12,
    0x1.921fb51aeb57bp-13,  0x1.921fb539ecf31p-14};

// Bits up to the highest one.
WOA_FUNCTION woa_u32 width_of(woa_u32 number) {
  woa_u32 bits = 0;
  for (; number != 0; number >>= 1) ++bits;
  return bits;
}

WOA_KERNEL(fft_butterflies, WOA_IN(float, blocks), WOA_OUT(float, pairs), int inverse) {
  const woa_size size = WOA_DIM(blocks, 2), n = WOA_X;
  if (n >= size) return;
  const woa_u32 k = width_of(WOA_DIM(blocks, 2));
  const double sign = inverse ? 1 : -1, twice = 2 * cosine[k];
  double before_re = cosine[k - 1], re = cosine[k], before_im = sign * sine[k - 1], im = sign * sine[k];
  for (woa_size step = 0; step <= n; ++step) {
    const double next_re = twice * re - before_re, next_im = twice * im - before_im;
    before_re = re, before_im = im;
    re = next_re, im = next_im;
  }
  WOA_GLOBAL const float *in = blocks + WOA_Y * 4 * size;
  WOA_GLOBAL float *out = pairs + WOA_Y * 4 * size;
  const double a_re = in[n], a_im = in[size + n], b_re = in[2 * size + n], b_im = in[3 * size + n];
  const double x = re * b_re - im * b_im, y = re * b_im + im * b_re;
  out[n] = (float)(a_re + x);
  out[size + n] = (float)(a_re - x);
  out[2 * size + n] = (float)(a_im + y);
  out[3 * size + n] = (float)(a_im - y);
}
