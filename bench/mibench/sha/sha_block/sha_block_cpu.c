/* Input: a state and whole blocks. Output: the state behind them. */
#include "bench/mibench/sha/sha.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  if (ins[0].bytes < kStateBytes || (ins[0].bytes - kStateBytes) % kBlockBytes != 0) {
    return woa_fail(error, WOA_INVALID, "a token has %llu bytes, expected a state (%d) and whole blocks (%d each)",
                    (unsigned long long)ins[0].bytes, kStateBytes, kBlockBytes);
  }
  outs[0].bytes = kStateBytes;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "state", kStateBytes, error);
  if (status != WOA_OK) return status;
  uint32_t state[kWords];
  memcpy(state, ins[0].data, kStateBytes);
  hash_blocks(state, ins[0].data + kStateBytes, ins[0].bytes - kStateBytes, kept_number(self) != 0);
  memcpy(outs[0].data, state, kStateBytes);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = keep_algorithm, .destroy = free, .size = size, .run = run)
