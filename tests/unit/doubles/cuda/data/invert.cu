#include "woa_cuda.h"
WOA_KERNEL(invert, const woa_u8 *data, woa_u64 bytes, woa_dims dims, woa_u8 *out, woa_u64 out_bytes,
           woa_dims out_dims) {
  out[WOA_X] = (woa_u8)~data[WOA_X];
}
