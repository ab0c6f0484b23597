/* Input: the last state. Output: the digest in hexadecimal digits. */
#include "bench/mibench/sha/sha.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  return write_digest(&ins[0], &outs[0], error);
}

WOA_KERNEL_TABLE(.run = run)
