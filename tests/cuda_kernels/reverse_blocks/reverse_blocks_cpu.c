#include "woa/woa_kernel.h"

enum { kBlock = 256 };

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = ins[0].bytes;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  const woa_status status = woa_claim(&outs[0], "data", ins[0].bytes, error);
  if (status != WOA_OK) return status;
  const uint64_t bytes = ins[0].bytes;
  for (uint64_t first = 0; first < bytes; first += kBlock) {
    const uint64_t left = bytes - first, count = left < kBlock ? left : kBlock;
    const uint8_t *const in = ins[0].data + first;
    uint8_t *const out = outs[0].data + first;
    for (uint64_t k = 0; k < count; ++k) out[k] = in[count - 1 - k];
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
