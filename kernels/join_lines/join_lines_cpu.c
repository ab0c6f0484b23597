#include "woa/woa_kernel.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  uint64_t bytes = 0;
  uint8_t *to = outs[0].data;
  woa_status status;
  (void)self, (void)firing;
  for (uint32_t e = 0; e < ins[0].count; ++e) bytes += ins[0].elements[e].absent ? 0 : ins[0].elements[e].bytes + 1;
  status = woa_claim(&outs[0], "data", bytes, error);
  if (status != WOA_OK) return status;
  for (uint32_t e = 0; e < ins[0].count; ++e) {
    const woa_input *const line = &ins[0].elements[e];
    if (line->absent) continue;
    if (line->bytes != 0) memcpy(to, line->data, line->bytes);
    to += line->bytes;
    *to++ = '\n';
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run)
