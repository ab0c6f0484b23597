#include "bench/mibench/jpeg/codec.h"
#include "bench/mibench/kept_number.h"

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  int64_t quality = 0;
  int table = kLuminance;
  woa_status status = woa_param_int(params, count, "quality", 1, 100, &quality, error);
  if (status == WOA_OK) status = param_choice(params, count, "table", "luminance", "chrominance", &table, error);
  if (status != WOA_OK) return status;
  uint16_t steps[kBlockSize];
  codec_make_steps(table, (int)quality, steps);
  return keep(steps, sizeof steps, self, error);
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  const uint32_t height = ins[0].dims[0], width = ins[0].dims[1];
  if (height % kBlock != 0 || width % kBlock != 0) {
    return woa_fail(error, WOA_INVALID, "the plane has %u x %u samples, expected multiples of %d", width, height,
                    kBlock);
  }
  codec_describe_blocks(&outs[0], height / kBlock, width / kBlock);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "coefficients", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  codec_transform(ins[0].data, (int)outs[0].dims[0], (int)outs[0].dims[1], self, (int16_t *)(void *)outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = create, .destroy = free, .size = size, .run = run)
