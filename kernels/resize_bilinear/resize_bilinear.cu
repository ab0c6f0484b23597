// Defined in resize_bilinear.md. One work item per output pixel.
#include "woa_cuda.h"

// The two input pixels between which an output pixel lies, and the weight of the second in 1/2048.
struct place {
  woa_u64 first, second;
  woa_u32 weight;
};

WOA_FUNCTION place place_of(woa_u64 i, woa_u32 size, woa_u32 new_size) {
  const woa_u64 shifted = (2 * i + 1) * ((woa_u64)size << 15) / new_size;
  const woa_u64 position = shifted < 32768 ? 0 : shifted - 32768, first = position >> 16;
  return {first, first + 1 < size ? first + 1 : size - 1, (woa_u32)(position & 65535) >> 5};
}

WOA_FUNCTION woa_u32 blend(woa_u32 a, woa_u32 b, woa_u32 weight) { return (2048 - weight) * a + weight * b; }

// a * b / c, rounded, and at least 1.
WOA_FUNCTION woa_u32 scaled(woa_u32 a, woa_u32 b, woa_u32 c) {
  const woa_u32 quotient = (woa_u32)((2 * (woa_u64)a * b + c) / (2 * (woa_u64)c));
  return quotient == 0 ? 1 : quotient;
}

struct size_2d {
  woa_u32 height, width;
};

// The part of the input that is resized. `fit` is the position in kernel.yaml: 2 is cover. For contain, the output has
// the size already.
WOA_FUNCTION size_2d part_of(size_2d in, int fit, woa_u32 width, woa_u32 height) {
  const woa_u64 wide = (woa_u64)in.width * height, high = (woa_u64)in.height * width;
  if (fit == 2 && wide > high) return {in.height, scaled(in.height, width, height)};
  if (fit == 2 && wide < high) return {scaled(in.width, height, width), in.width};
  return in;
}

WOA_KERNEL(resize_bilinear, const woa_u8 *in, woa_u64 in_bytes, woa_dims in_dims, woa_u8 *out, woa_u64 out_bytes,
           woa_dims out_dims, int width, int height, int fit) {
  const size_2d whole = {in_dims.d[0], in_dims.d[1]};
  const woa_u64 channels = in_dims.d[2], stride = whole.width * channels;
  const size_2d part = part_of(whole, fit, (woa_u32)width, (woa_u32)height);
  const place row = place_of(WOA_Y, part.height, out_dims.d[0]), column = place_of(WOA_X, part.width, out_dims.d[1]);
  const woa_u8 *corner = in + (whole.height - part.height) / 2 * stride + (whole.width - part.width) / 2 * channels;
  const woa_u8 *above = corner + row.first * stride, *below = corner + row.second * stride;
  const woa_u64 left = column.first * channels, right = column.second * channels;
  woa_u8 *pixel = out + (WOA_Y * out_dims.d[1] + WOA_X) * channels;
  for (woa_u64 c = 0; c < channels; ++c) {
    const woa_u32 upper = blend(above[left + c], above[right + c], column.weight);
    const woa_u32 lower = blend(below[left + c], below[right + c], column.weight);
    pixel[c] = (woa_u8)((blend(upper, lower, row.weight) + (1u << 21)) >> 22);
  }
}
