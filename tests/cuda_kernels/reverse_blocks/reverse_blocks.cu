// A kernel of blocks: reverses the bytes of each block, the last of which may have fewer.
#include "woa_cuda.h"

WOA_BLOCK_KERNEL(reverse_blocks, const woa_u8 *in, woa_u64 bytes, woa_dims dims, woa_u8 *out, woa_u64 out_bytes,
                 woa_dims out_dims) {
  const woa_u64 thread = WOA_THREAD(x), first = WOA_X - thread, left = bytes - first;
  const woa_u64 last = (left < WOA_BLOCK_SIZE(x) ? left : WOA_BLOCK_SIZE(x)) - 1;
  if (WOA_INSIDE) WOA_SHARED(woa_u8)[thread] = in[WOA_X];
  WOA_BARRIER();
  if (WOA_INSIDE) out[WOA_X] = WOA_SHARED(woa_u8)[last - thread];
}
