// Defined in sharpen3x3.md. One work item per pixel.
#include "woa_cuda.h"

WOA_KERNEL(sharpen3x3, const woa_u8 *in, woa_u64 in_bytes, woa_dims in_dims, woa_u8 *out, woa_u64 out_bytes,
           woa_dims out_dims) {
  const woa_u64 height = in_dims.d[0], width = in_dims.d[1], channels = in_dims.d[2], stride = width * channels;
  const woa_u64 up = WOA_Y == 0 ? 0 : stride, down = WOA_Y == height - 1 ? 0 : stride;
  const woa_u64 left = WOA_X == 0 ? 0 : channels, right = WOA_X == width - 1 ? 0 : channels;
  const woa_u64 pixel = WOA_Y * stride + WOA_X * channels;
  for (woa_u64 i = pixel; i < pixel + channels; ++i) {
    const int sum = 5 * in[i] - in[i - up] - in[i + down] - in[i - left] - in[i + right];
    out[i] = (woa_u8)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
  }
}
