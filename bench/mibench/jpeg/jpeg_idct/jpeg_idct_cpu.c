#include "bench/mibench/jpeg/codec.h"
#include "bench/mibench/kept_number.h"

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "component", 0, kChannels - 1, self, error);
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  codec_describe_plane(&outs[0], ins[0].dims[0], ins[0].dims[1]);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  codec_describe_plane(&outs[0], ins[0].dims[0], ins[0].dims[1]);
  const woa_status status = woa_claim(&outs[0], "plane", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  const uint16_t *steps = (const uint16_t *)(const void *)ins[1].data + kept_number(self) * kBlockSize;
  codec_restore((const int16_t *)(const void *)ins[0].data, (int)ins[0].dims[0], (int)ins[0].dims[1], steps,
                outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = create, .destroy = free, .size = size, .run = run)
