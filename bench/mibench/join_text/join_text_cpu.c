#include "bench/mibench/pieces.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < ins[0].count; ++k) bytes += ins[0].elements[k].bytes;
  const woa_status status = woa_claim(&outs[0], "text", bytes, error);
  if (status != WOA_OK) return status;
  uint8_t *to = outs[0].data;
  for (uint32_t k = 0; k < ins[0].count; ++k) to = append_bytes(to, ins[0].elements[k].data, ins[0].elements[k].bytes);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run)
