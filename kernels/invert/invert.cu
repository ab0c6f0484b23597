#include "woa_cuda.h"

WOA_KERNEL(invert, const woa_u8 *in, woa_u64 in_bytes, woa_dims in_dims, woa_u8 *out, woa_u64 out_bytes,
           woa_dims out_dims) {
  out[WOA_X] = (woa_u8)~in[WOA_X];
}
