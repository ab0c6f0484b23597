// Passes its input on, or does what a kernel must not do.
#include "woa_cuda.h"

WOA_KERNEL(misbehave, const woa_u8 *in, woa_u64 in_bytes, woa_dims in_dims, woa_u8 *out, woa_u64 out_bytes,
           woa_dims out_dims, int how) {
  volatile woa_u8 *const nowhere = (volatile woa_u8 *)64;
  if (how == 1) *nowhere = 1;
  volatile woa_u64 *const turns = (volatile woa_u64 *)out;
  while (how == 2) *turns = 0;
  out[WOA_X] = in[WOA_X];
}
