/* A kernel in C11 and in C++11. */
#include "woa/woa_kernel.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  return woa_claim(&outs[0], "data", ins[0].bytes, error);
}

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(uint32_t))
