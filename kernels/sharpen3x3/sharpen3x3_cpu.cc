// Defined in sharpen3x3.md.
#include <algorithm>

#include "woa/woa_kernel.h"

namespace {

// Byte `i` of a row, whose left neighbour is byte `left` and whose right one is byte `right`.
uint8_t sharpen(const uint8_t* up, const uint8_t* row, const uint8_t* down, size_t i, size_t left, size_t right) {
  const int sum = 5 * row[i] - up[i] - down[i] - row[left] - row[right];
  return static_cast<uint8_t>(std::clamp(sum, 0, 255));
}

// The end pixels are their own outer neighbours; the pixels between them take one loop without branches.
void sharpen_row(const uint8_t* up, const uint8_t* row, const uint8_t* down, uint8_t* out, size_t stride,
                 size_t channels) {
  const bool single = stride == channels;
  for (size_t i = 0; i < channels; ++i) out[i] = sharpen(up, row, down, i, i, single ? i : i + channels);
  if (single) return;
  for (size_t i = channels; i < stride - channels; ++i) {
    out[i] = sharpen(up, row, down, i, i - channels, i + channels);
  }
  for (size_t i = stride - channels; i < stride; ++i) out[i] = sharpen(up, row, down, i, i - channels, i);
}

woa_status size(void*, const woa_input* ins, woa_output* outs, woa_error*) {
  std::copy_n(ins[0].dims, 3, outs[0].dims);
  outs[0].bytes = ins[0].bytes;
  return WOA_OK;
}

woa_status run(void*, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const woa_input& in = ins[0];
  if (const woa_status status = woa_claim(&outs[0], "image", in.bytes, error); status != WOA_OK) return status;
  std::copy_n(in.dims, 3, outs[0].dims);
  if (in.bytes == 0) return WOA_OK;
  const size_t height = in.dims[0], channels = in.dims[2], stride = in.dims[1] * channels;
  for (size_t y = 0; y < height; ++y) {
    const uint8_t* row = in.data + y * stride;
    const uint8_t* up = y == 0 ? row : row - stride;
    const uint8_t* down = y == height - 1 ? row : row + stride;
    sharpen_row(up, row, down, outs[0].data + y * stride, stride, channels);
  }
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.size = size, .run = run)
