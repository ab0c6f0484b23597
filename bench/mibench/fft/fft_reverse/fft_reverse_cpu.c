#include "bench/mibench/fft/fft.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  fft_describe(&outs[0], ins[0].dims[0], 1);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = fft_check_count(ins[0].dims[0], error);
  if (status == WOA_OK) status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "blocks", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  fft_reverse((const float *)(const void *)ins[0].data, ins[0].dims[0], (float *)(void *)outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
