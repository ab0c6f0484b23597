#include "bench/mibench/jpeg/codec.h"
#include "bench/mibench/netpbm.h"

static woa_status describe(const woa_input *file, netpbm *picture, woa_output *outs, woa_error *error) {
  const woa_status status = netpbm_parse(file, kChannels, picture, error);
  if (status != WOA_OK) return status;
  outs[0].dims[0] = picture->height;
  outs[0].dims[1] = picture->width;
  outs[0].dims[2] = kChannels;
  outs[0].bytes = (uint64_t)picture->width * picture->height * kChannels;
  outs[1].dims[0] = 2;
  outs[1].bytes = 2 * sizeof(uint32_t);
  return WOA_OK;
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  netpbm picture = {0};
  return describe(&ins[0], &picture, outs, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  netpbm picture = {0};
  woa_status status = describe(&ins[0], &picture, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "image", outs[0].bytes, error);
  if (status == WOA_OK) status = woa_claim(&outs[1], "frame", outs[1].bytes, error);
  if (status != WOA_OK) return status;
  const uint32_t frame[2] = {picture.height, picture.width};
  memcpy(outs[0].data, picture.pixels, outs[0].bytes);
  memcpy(outs[1].data, frame, sizeof frame);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
