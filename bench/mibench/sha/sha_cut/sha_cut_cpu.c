/* Input: the data. Output: the message, which is the data and their padding, in chunks. */
#include "bench/mibench/sha/sha.h"

enum { kMostChunks = 1024 }; /* kernel.yaml has the same */

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const uint64_t total = message_bytes(ins[0].bytes), chunk = kept_number(self);
  const uint64_t count = (total + chunk - 1) / chunk;
  if (count > kMostChunks) {
    return woa_fail(error, WOA_TOO_LARGE,
                    "%llu bytes of data make %llu chunks of %llu bytes, at most %d are possible: set a larger `chunk`",
                    (unsigned long long)ins[0].bytes, (unsigned long long)count, (unsigned long long)chunk,
                    kMostChunks);
  }
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t at = k * chunk, bytes = total - at < chunk ? total - at : chunk;
    const woa_status status = woa_claim(&outs[0].elements[k], "chunk", bytes, error);
    if (status != WOA_OK) return status;
    copy_message(outs[0].elements[k].data, ins[0].data, ins[0].bytes, at, bytes);
  }
  outs[0].count = (uint32_t)count;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = keep_chunk, .destroy = free, .run = run)
