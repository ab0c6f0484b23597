#include <math.h>

#include "bench/mibench/fft/fft.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = ins[0].bytes;
  outs[0].dims[0] = (uint32_t)(ins[0].bytes / sizeof(float));
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const uint64_t bytes = ins[0].bytes;
  if (bytes % sizeof(float) != 0) {
    return woa_fail(
        error, WOA_INVALID,
        "the input has %llu bytes, expected a multiple of 4, since a sample is a float; copy the whole file",
        (unsigned long long)bytes);
  }
  woa_status status = fft_check_count(bytes / sizeof(float), error);
  if (status == WOA_OK) status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "samples", bytes, error);
  if (status != WOA_OK) return status;
  memcpy(outs[0].data, ins[0].data, bytes);
  const float *samples = (const float *)(const void *)outs[0].data;
  for (uint32_t k = 0; k < outs[0].dims[0]; ++k) {
    if (isfinite(samples[k])) continue;
    return woa_fail(error, WOA_INVALID,
                    "sample %u (byte %zu) is %f, expected a number; samples are little-endian floats", k,
                    k * sizeof(float), (double)samples[k]);
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
