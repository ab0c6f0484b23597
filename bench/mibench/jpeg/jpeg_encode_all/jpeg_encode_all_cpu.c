#include "bench/mibench/jpeg/entropy.h"

/* Room for all that lies between the steps, in the order of use. */
typedef struct room {
  uint8_t *plane[kChannels];
  int16_t *coefficients[kChannels];
} room;

static woa_status divide_scratch(const woa_firing *firing, uint64_t y_samples, uint64_t c_samples, room *parts,
                                 woa_error *error) {
  const uint64_t needed = (y_samples + 2 * c_samples) * (1 + sizeof(int16_t));
  if (needed > firing->scratch_bytes) {
    return woa_fail(error, WOA_EXHAUSTED, "the image needs %llu bytes of scratch, there are %llu",
                    (unsigned long long)needed, (unsigned long long)firing->scratch_bytes);
  }
  uint8_t *at = firing->scratch;
  for (int k = 0; k < kChannels; ++k) {
    parts->plane[k] = at;
    at += k == 0 ? y_samples : c_samples;
  }
  for (int k = 0; k < kChannels; ++k) {
    parts->coefficients[k] = (int16_t *)(void *)at;
    at += (k == 0 ? y_samples : c_samples) * sizeof(int16_t);
  }
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const entropy_settings *settings = self;
  const uint32_t height = ins[0].dims[0], width = ins[0].dims[1];
  const uint32_t rows[2] = {codec_blocks(height), codec_chroma_blocks(height)};
  const uint32_t columns[2] = {codec_blocks(width), codec_chroma_blocks(width)};
  room parts = {0};
  woa_status status = codec_check_image(&ins[0], error);
  if (status != WOA_OK) return status;
  uint32_t frame[2];
  memcpy(frame, ins[1].data, sizeof frame);
  if (frame[0] != height || frame[1] != width) {
    return woa_fail(error, WOA_INVALID, "the image has %u x %u pixels, expected %u x %u, as 'frame' says", width,
                    height, frame[1], frame[0]);
  }
  status = divide_scratch(firing, (uint64_t)rows[0] * columns[0] * kBlockSize,
                          (uint64_t)rows[1] * columns[1] * kBlockSize, &parts, error);
  if (status != WOA_OK) return status;
  const planes to = {parts.plane[0], parts.plane[1], parts.plane[2]};
  codec_convert(ins[0].data, (int)height, (int)width, &to);
  entropy_image image = {.height = height, .width = width};
  for (int k = 0; k < kChannels; ++k) {
    uint16_t steps[kBlockSize];
    const int table = k == 0 ? kLuminance : kChrominance;
    codec_make_steps(table, settings->quality, steps);
    codec_transform(parts.plane[k], (int)rows[table], (int)columns[table], steps, parts.coefficients[k]);
    image.component[k] = parts.coefficients[k];
  }
  return entropy_encode(&image, settings, &outs[0], error);
}

WOA_KERNEL_TABLE(.create = entropy_create, .destroy = entropy_destroy, .run = run)
