#include "bench/mibench/jpeg/codec.h"
#include "bench/mibench/pieces.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  const woa_input *strips = ins[0].elements;
  if (ins[0].count == 0) return woa_fail(error, WOA_INVALID, "there is no strip, expected at least one");
  uint32_t rows = 0;
  for (uint32_t k = 0; k < ins[0].count; ++k) {
    if (strips[k].dims[1] != strips[0].dims[1]) {
      return woa_fail(error, WOA_INVALID, "strip %u is %u blocks wide, expected %u, the width of the first", k,
                      strips[k].dims[1], strips[0].dims[1]);
    }
    rows += strips[k].dims[0];
  }
  codec_describe_blocks(&outs[0], rows, strips[0].dims[1]);
  return join_pieces(&ins[0], &outs[0], "coefficients", error);
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .run = run};
  return &kernel;
}
