#include "bench/mibench/jpeg/codec.h"

static woa_status check_planes(const woa_input *ins, uint32_t height, uint32_t width, woa_error *error) {
  static const char *const names[kChannels] = {"y", "cb", "cr"};
  for (int k = 0; k < kChannels; ++k) {
    const uint32_t rows = k == 0 ? codec_blocks(height) : codec_chroma_blocks(height);
    const uint32_t columns = k == 0 ? codec_blocks(width) : codec_chroma_blocks(width);
    if (ins[k].dims[0] % kBlock != 0 || ins[k].dims[1] % kBlock != 0) {
      return woa_fail(error, WOA_INVALID, "'%s' has %u x %u samples, expected whole blocks of %d x %d", names[k],
                      ins[k].dims[1], ins[k].dims[0], kBlock, kBlock);
    }
    const woa_status status =
        codec_check_blocks(names[k], ins[k].dims[0] / kBlock, ins[k].dims[1] / kBlock, rows, columns, error);
    if (status != WOA_OK) return status;
  }
  return WOA_OK;
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  uint32_t frame[2];
  memcpy(frame, ins[kChannels].data, sizeof frame);
  outs[0].dims[0] = frame[0];
  outs[0].dims[1] = frame[1];
  outs[0].dims[2] = kChannels;
  outs[0].bytes = (uint64_t)frame[0] * frame[1] * kChannels;
  return check_planes(ins, frame[0], frame[1], error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "image", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  const const_planes from = {ins[0].data, ins[1].data, ins[2].data};
  codec_paint(&from, (int)outs[0].dims[0], (int)outs[0].dims[1], outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
