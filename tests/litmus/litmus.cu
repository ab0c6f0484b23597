// Payloads that gpu_litmus lets a device write: words that tell every message from every other (litmus_run.h).
#include "woa_cuda.h"

WOA_KERNEL(echo, const woa_u8 *in, woa_u64 in_bytes, woa_dims in_dims, woa_u8 *out, woa_u64 out_bytes,
           woa_dims out_dims) {
  out[WOA_X] = in[WOA_X];
}

WOA_KERNEL(stamp, const woa_u64 *message, woa_u64 message_bytes, woa_dims message_dims, woa_u8 *out, woa_u64 out_bytes,
           woa_dims out_dims) {
  const woa_u64 word = *message * 0x9e3779b97f4a7c15ull + (WOA_X / 8) * 0xbf58476d1ce4e5b9ull;
  out[WOA_X] = (woa_u8)(word >> WOA_X % 8 * 8);
}
