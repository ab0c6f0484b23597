#include "bench/mibench/jpeg/entropy.h"

enum { kSteps = kChannels, kFrame, kOutputs };

static woa_status describe(const woa_input *file, uint32_t frame[2], woa_output *outs, woa_error *error) {
  const woa_status status = entropy_measure(file, &frame[0], &frame[1], error);
  if (status != WOA_OK) return status;
  codec_describe_blocks(&outs[0], codec_blocks(frame[0]), codec_blocks(frame[1]));
  for (int k = 1; k < kChannels; ++k) {
    codec_describe_blocks(&outs[k], codec_chroma_blocks(frame[0]), codec_chroma_blocks(frame[1]));
  }
  outs[kSteps].dims[0] = kChannels;
  outs[kSteps].dims[1] = kBlockSize;
  outs[kSteps].bytes = kChannels * kBlockSize * sizeof(uint16_t);
  outs[kFrame].dims[0] = 2;
  outs[kFrame].bytes = 2 * sizeof frame[0];
  return WOA_OK;
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  uint32_t frame[2];
  return describe(&ins[0], frame, outs, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  static const char *const names[kOutputs] = {"y", "cb", "cr", "steps", "frame"};
  uint32_t frame[2];
  woa_status status = describe(&ins[0], frame, outs, error);
  for (int k = 0; k < kOutputs && status == WOA_OK; ++k) status = woa_claim(&outs[k], names[k], outs[k].bytes, error);
  if (status != WOA_OK) return status;
  int16_t *component[kChannels];
  for (int k = 0; k < kChannels; ++k) component[k] = (int16_t *)(void *)outs[k].data;
  memcpy(outs[kFrame].data, frame, sizeof frame);
  return entropy_decode(&ins[0], component, (uint16_t *)(void *)outs[kSteps].data, error);
}

WOA_KERNEL_TABLE(.size = size, .run = run)
