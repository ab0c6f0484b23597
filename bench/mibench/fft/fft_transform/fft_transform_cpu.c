/* All stages in one firing. */
#include "bench/mibench/fft/fft.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  fft_describe(&outs[0], 1, ins[0].dims[0]);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const uint32_t samples = ins[0].dims[0];
  const int inverse = kept_number(self) != 0;
  woa_status status = fft_check_count(samples, error);
  if (status == WOA_OK) status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "numbers", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  float *blocks = (float *)(void *)outs[0].data;
  fft_reverse((const float *)(const void *)ins[0].data, samples, blocks);
  for (uint32_t of = 1; of < samples; of *= 2) {
    fft_stage(blocks, blocks, samples / of / 2, of, inverse, (double *)(void *)firing->scratch);
  }
  if (inverse) fft_divide(blocks, blocks, samples);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = fft_create, .destroy = free, .size = size, .run = run)
