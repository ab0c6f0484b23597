/* The smallest kernel that can travel in a loop: a 64-bit little-endian counter in front of the token says for how
 * long. */
#include <string.h>

#include "woa/woa_kernel.h"

enum { kAgain, kDone };

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  uint64_t left = 0;
  if (ins[0].bytes < sizeof left) {
    strncpy(error->message, "the token is shorter than its 8-byte counter", sizeof error->message - 1);
    return WOA_INVALID;
  }
  memcpy(&left, ins[0].data, sizeof left);
  woa_output *out = &outs[left == 0 ? kDone : kAgain];
  memcpy(out->data, ins[0].data, ins[0].bytes);
  left -= left != 0;
  memcpy(out->data, &left, sizeof left);
  out->bytes = ins[0].bytes;
  out->written = 1;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run)
