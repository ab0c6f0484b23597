#include "kernels/woa_kernel.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  uint64_t bytes = 0;
  (void)self, (void)firing;
  for (uint32_t i = 0; i < ins[0].count; ++i) bytes += ins[0].elements[i].bytes;
  const woa_status status = woa_claim(outs, "text", bytes, error);
  if (status != WOA_OK) return status;
  uint8_t *to = outs[0].data;
  for (uint32_t i = 0; i < ins[0].count; ++i) {
    if (ins[0].elements[i].bytes != 0) memcpy(to, ins[0].elements[i].data, ins[0].elements[i].bytes);
    to += ins[0].elements[i].bytes;
  }
  return WOA_OK;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .run = run};
  return &kernel;
}
