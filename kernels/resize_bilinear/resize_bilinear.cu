// Defined in resize_bilinear.md. One work item per output pixel.
#include "woa_cuda.h"

// The two input pixels between which an output pixel lies, and the weight of the second in 1/2048.
typedef struct place {
  woa_size first, second;
  woa_u32 weight;
} place;

WOA_FUNCTION place place_of(woa_size i, woa_u32 size, woa_u32 new_size) {
  const woa_u64 shifted = (2 * i + 1) * ((woa_u64)size << 15) / new_size;
  const woa_u64 position = shifted < 32768 ? 0 : shifted - 32768;
  const woa_size first = (woa_size)(position >> 16);
  const place found = {first, first + 1 < size ? first + 1 : size - 1, (woa_u32)(position & 65535) >> 5};
  return found;
}

WOA_FUNCTION woa_u32 blend(woa_u32 a, woa_u32 b, woa_u32 weight) { return (2048 - weight) * a + weight * b; }

// a * b / c, rounded, and at least 1.
WOA_FUNCTION woa_u32 scaled(woa_u32 a, woa_u32 b, woa_u32 c) {
  const woa_u32 quotient = (woa_u32)((2 * (woa_u64)a * b + c) / (2 * (woa_u64)c));
  return quotient == 0 ? 1 : quotient;
}

typedef struct size_2d {
  woa_u32 height, width;
} size_2d;

// The part of the input that is resized. `fit` is the position in kernel.yaml: 2 is cover. For contain, the output has
// the size already.
WOA_FUNCTION size_2d part_of(size_2d in, int fit, woa_u32 width, woa_u32 height) {
  const woa_u64 wide = (woa_u64)in.width * height, high = (woa_u64)in.height * width;
  size_2d part = in;
  if (fit == 2 && wide > high) {
    part.width = scaled(in.height, width, height);
  } else if (fit == 2 && wide < high) {
    part.height = scaled(in.width, height, width);
  }
  return part;
}

WOA_KERNEL(resize_bilinear, WOA_IN(woa_u8, in), WOA_OUT(woa_u8, out), int width, int height, int fit) {
  const size_2d whole = {WOA_DIM(in, 0), WOA_DIM(in, 1)};
  const woa_size channels = WOA_DIM(in, 2), stride = whole.width * channels;
  const size_2d part = part_of(whole, fit, (woa_u32)width, (woa_u32)height);
  const place row = place_of(WOA_Y, part.height, WOA_DIM(out, 0)),
              column = place_of(WOA_X, part.width, WOA_DIM(out, 1));
  WOA_GLOBAL const woa_u8 *corner =
      in + (whole.height - part.height) / 2 * stride + (whole.width - part.width) / 2 * channels;
  WOA_GLOBAL const woa_u8 *above = corner + row.first * stride, *below = corner + row.second * stride;
  const woa_size left = column.first * channels, right = column.second * channels;
  WOA_GLOBAL woa_u8 *pixel = out + (WOA_Y * WOA_DIM(out, 1) + WOA_X) * channels;
  for (woa_size c = 0; c < channels; ++c) {
    const woa_u32 upper = blend(above[left + c], above[right + c], column.weight);
    const woa_u32 lower = blend(below[left + c], below[right + c], column.weight);
    pixel[c] = (woa_u8)((blend(upper, lower, row.weight) + (1u << 21)) >> 22);
  }
}
