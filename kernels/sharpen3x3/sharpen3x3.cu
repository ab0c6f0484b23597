// Defined in sharpen3x3.md. One work item per pixel.
#include "woa_cuda.h"

WOA_KERNEL(sharpen3x3, WOA_IN(woa_u8, in), WOA_OUT(woa_u8, out)) {
  const woa_size height = WOA_DIM(in, 0), width = WOA_DIM(in, 1), channels = WOA_DIM(in, 2), stride = width * channels;
  const woa_size up = WOA_Y == 0 ? 0 : stride, down = WOA_Y == height - 1 ? 0 : stride;
  const woa_size left = WOA_X == 0 ? 0 : channels, right = WOA_X == width - 1 ? 0 : channels;
  const woa_size pixel = WOA_Y * stride + WOA_X * channels;
  for (woa_size i = pixel; i < pixel + channels; ++i) {
    const int sum = 5 * in[i] - in[i - up] - in[i + down] - in[i - left] - in[i + right];
    out[i] = (woa_u8)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
  }
}
