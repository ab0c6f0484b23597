#include "bench/mibench/jpeg/entropy.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  const woa_status status = entropy_measure(&ins[0], &outs[0].dims[0], &outs[0].dims[1], error);
  outs[0].dims[2] = kChannels;
  outs[0].bytes = (uint64_t)outs[0].dims[0] * outs[0].dims[1] * kChannels;
  return status;
}

/* Coefficients of all components, then planes of all. */
static woa_status divide_scratch(const woa_firing *firing, uint64_t y_samples, uint64_t c_samples,
                                 int16_t *coefficients[kChannels], uint8_t *plane[kChannels], woa_error *error) {
  const uint64_t needed = (y_samples + 2 * c_samples) * (1 + sizeof(int16_t));
  if (needed > firing->scratch_bytes) {
    return woa_fail(error, WOA_EXHAUSTED, "the image needs %llu bytes of scratch, there are %llu",
                    (unsigned long long)needed, (unsigned long long)firing->scratch_bytes);
  }
  const uint64_t before[kChannels + 1] = {0, y_samples, y_samples + c_samples, y_samples + 2 * c_samples};
  for (int k = 0; k < kChannels; ++k) {
    coefficients[k] = (int16_t *)(void *)firing->scratch + before[k];
    plane[k] = firing->scratch + before[kChannels] * sizeof(int16_t) + before[k];
  }
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  woa_status status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "image", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  const uint32_t height = outs[0].dims[0], width = outs[0].dims[1];
  const uint32_t rows[2] = {codec_blocks(height), codec_chroma_blocks(height)};
  const uint32_t columns[2] = {codec_blocks(width), codec_chroma_blocks(width)};
  int16_t *coefficients[kChannels];
  uint8_t *plane[kChannels];
  status = divide_scratch(firing, (uint64_t)rows[0] * columns[0] * kBlockSize,
                          (uint64_t)rows[1] * columns[1] * kBlockSize, coefficients, plane, error);
  if (status != WOA_OK) return status;
  uint16_t steps[kChannels * kBlockSize];
  status = entropy_decode(&ins[0], coefficients, steps, error);
  if (status != WOA_OK) return status;
  for (int k = 0; k < kChannels; ++k) {
    const int chroma = k > 0;
    codec_restore(coefficients[k], (int)rows[chroma], (int)columns[chroma], steps + (ptrdiff_t)k * kBlockSize,
                  plane[k]);
  }
  const const_planes from = {plane[0], plane[1], plane[2]};
  codec_paint(&from, (int)height, (int)width, outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
