#include "bench/mibench/fft/fft.h"
#include "bench/mibench/pieces.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  const woa_input *chunks = ins[0].elements;
  if (ins[0].count == 0) return woa_fail(error, WOA_INVALID, "there is no chunk, expected at least one");
  uint32_t blocks = 0;
  for (uint32_t k = 0; k < ins[0].count; ++k) {
    if (chunks[k].dims[2] != chunks[0].dims[2]) {
      return woa_fail(error, WOA_INVALID, "chunk %u has blocks of %u, expected %u, as the first has", k,
                      chunks[k].dims[2], chunks[0].dims[2]);
    }
    blocks += chunks[k].dims[0];
  }
  fft_describe(&outs[0], blocks, chunks[0].dims[2]);
  return join_pieces(&ins[0], &outs[0], "blocks", error);
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .run = run};
  return &kernel;
}
