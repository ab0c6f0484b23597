/* Input: chunks of the message, in order. Output: the state behind each. The state stays here. */
#include "bench/mibench/sha/sha.h"

typedef struct progress {
  uint32_t begun;
  uint32_t state[kWords];
} progress;

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  progress *p = firing->state;
  if (ins[0].bytes % kBlockBytes != 0) {
    return woa_fail(error, WOA_INVALID, "a chunk has %llu bytes, expected whole blocks (%d each)",
                    (unsigned long long)ins[0].bytes, kBlockBytes);
  }
  const woa_status status = woa_claim(&outs[0], "state", kStateBytes, error);
  if (status != WOA_OK) return status;
  if (!p->begun) memcpy(p->state, kFirstState, kStateBytes);
  p->begun = 1;
  hash_blocks(p->state, ins[0].data, ins[0].bytes, kept_number(self) != 0);
  memcpy(outs[0].data, p->state, kStateBytes);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = keep_algorithm, .destroy = free, .run = run, .state_bytes = sizeof(progress))
