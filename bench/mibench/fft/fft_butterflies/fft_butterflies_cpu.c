#include "bench/mibench/fft/fft.h"

/* Reads no data: a payload may lie in the memory of an OpenCL device. */
static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  const uint32_t blocks = ins[0].dims[0], of = ins[0].dims[2];
  if (blocks == 1) {
    return woa_fail(error, WOA_INVALID,
                    "one block of %u is whole, expected at least two to join: the graph has more stages than log2 of "
                    "the samples; use the graph for this number of samples, or coarse.yaml",
                    of);
  }
  if (!fft_is_power(blocks) || !fft_is_power(of) || (uint64_t)blocks * of > kMostSamples) {
    return woa_fail(error, WOA_INVALID, "there are %u blocks of %u, expected powers of two with a product up to %d",
                    blocks, of, kMostSamples);
  }
  fft_describe(&outs[0], blocks / 2, 2 * of);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  woa_status status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "blocks", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  fft_stage((const float *)(const void *)ins[0].data, (float *)(void *)outs[0].data, ins[0].dims[0] / 2, ins[0].dims[2],
            kept_number(self) != 0, (double *)(void *)firing->scratch);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = fft_create, .destroy = free, .size = size, .run = run)
