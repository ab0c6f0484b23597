#include "bench/mibench/jpeg/codec.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  const uint32_t height = ins[0].dims[0], width = ins[0].dims[1];
  codec_describe_plane(&outs[0], codec_blocks(height), codec_blocks(width));
  codec_describe_plane(&outs[1], codec_chroma_blocks(height), codec_chroma_blocks(width));
  codec_describe_plane(&outs[2], codec_chroma_blocks(height), codec_chroma_blocks(width));
  return codec_check_image(&ins[0], error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  static const char *const names[kChannels] = {"y", "cb", "cr"};
  woa_status status = size(self, ins, outs, error);
  for (int k = 0; k < kChannels && status == WOA_OK; ++k) status = woa_claim(&outs[k], names[k], outs[k].bytes, error);
  if (status != WOA_OK) return status;
  const planes to = {outs[0].data, outs[1].data, outs[2].data};
  codec_convert(ins[0].data, (int)ins[0].dims[0], (int)ins[0].dims[1], &to);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
