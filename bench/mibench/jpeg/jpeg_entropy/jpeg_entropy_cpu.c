#include "bench/mibench/jpeg/entropy.h"

static woa_status check_blocks(const woa_input *ins, uint32_t height, uint32_t width, woa_error *error) {
  static const char *const names[kChannels] = {"y", "cb", "cr"};
  if (height == 0 || width == 0) {
    return woa_fail(error, WOA_INVALID, "'frame' says %u x %u pixels, expected at least 1 x 1", width, height);
  }
  for (int k = 0; k < kChannels; ++k) {
    const uint32_t rows = k == 0 ? codec_blocks(height) : codec_chroma_blocks(height);
    const uint32_t columns = k == 0 ? codec_blocks(width) : codec_chroma_blocks(width);
    const woa_status status = codec_check_blocks(names[k], ins[k].dims[0], ins[k].dims[1], rows, columns, error);
    if (status != WOA_OK) return status;
  }
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  entropy_image image = {0};
  uint32_t frame[2];
  memcpy(frame, ins[kChannels].data, sizeof frame);
  image.height = frame[0];
  image.width = frame[1];
  const woa_status status = check_blocks(ins, image.height, image.width, error);
  if (status != WOA_OK) return status;
  for (int k = 0; k < kChannels; ++k) image.component[k] = (const int16_t *)(const void *)ins[k].data;
  return entropy_encode(&image, self, &outs[0], error);
}

WOA_KERNEL_TABLE(.create = entropy_create, .destroy = free, .run = run)
