/* Output: the state before the first block, and the data, which are not copied if nobody else reads them. */
#include "bench/mibench/sha/sha.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = kStateBytes;
  outs[1].bytes = ins[0].bytes;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  woa_status status = woa_claim(&outs[0], "state", kStateBytes, error);
  if (status == WOA_OK) status = woa_claim(&outs[1], "data", ins[0].bytes, error);
  if (status != WOA_OK) return status;
  memcpy(outs[0].data, kFirstState, kStateBytes);
  if (outs[1].data != ins[0].data && ins[0].bytes != 0) memcpy(outs[1].data, ins[0].data, ins[0].bytes);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
