#include "bench/mibench/jpeg/entropy.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  const woa_status status = entropy_measure(&ins[0], &outs[0].dims[0], &outs[0].dims[1], error);
  outs[0].dims[2] = kChannels;
  outs[0].bytes = (uint64_t)outs[0].dims[0] * outs[0].dims[1] * kChannels;
  return status;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  woa_status status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "image", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  const uint32_t height = outs[0].dims[0], width = outs[0].dims[1];
  entropy_room room;
  status = entropy_divide(firing, height, width, &room, error);
  if (status != WOA_OK) return status;
  uint16_t steps[kChannels * kBlockSize];
  status = entropy_decode(&ins[0], room.coefficients, steps, error);
  if (status != WOA_OK) return status;
  for (int k = 0; k < kChannels; ++k) {
    const int chroma = k > 0;
    codec_restore(room.coefficients[k], (int)room.rows[chroma], (int)room.columns[chroma],
                  steps + (ptrdiff_t)k * kBlockSize, room.plane[k]);
  }
  const const_planes from = {room.plane[0], room.plane[1], room.plane[2]};
  codec_paint(&from, (int)height, (int)width, outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
