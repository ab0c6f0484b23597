/* Inputs: a state, and the data. Output: the state and the next chunk of the message, for the block function; behind
 * the last chunk the state alone, as the digest. */
#include "bench/mibench/sha/sha.h"

typedef struct cursor {
  uint64_t at; /* in the message */
} cursor;

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  cursor *c = firing->state;
  const uint64_t total = message_bytes(ins[1].bytes), left = total - c->at, most = kept_number(self);
  const uint64_t bytes = left < most ? left : most;
  woa_output *out = left == 0 ? &outs[1] : &outs[0];
  if (ins[0].bytes != kStateBytes) {
    return woa_fail(error, WOA_INVALID, "the state has %llu bytes, expected %d", (unsigned long long)ins[0].bytes,
                    kStateBytes);
  }
  if (c->at > total) {
    return woa_fail(error, WOA_INVALID,
                    "the data have %llu bytes, fewer than were read before: hold the data, `hold: true`, for all turns",
                    (unsigned long long)ins[1].bytes);
  }
  const woa_status status = woa_claim(out, left == 0 ? "digest" : "block", kStateBytes + bytes, error);
  if (status != WOA_OK) return status;
  memcpy(out->data, ins[0].data, kStateBytes);
  copy_message(out->data + kStateBytes, ins[1].data, ins[1].bytes, c->at, bytes);
  c->at += bytes;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = keep_chunk, .destroy = free, .run = run, .state_bytes = sizeof(cursor))
