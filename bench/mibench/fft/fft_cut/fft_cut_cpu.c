#include "bench/mibench/fft/fft.h"

enum { kMostChunks = 16 };

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  int64_t chunks = 0;
  const woa_status status = woa_param_int(params, count, "chunks", 1, kMostChunks, &chunks, error);
  if (status != WOA_OK) return status;
  if (!fft_is_power((uint64_t)chunks)) {
    return woa_fail(error, WOA_INVALID, "parameter 'chunks' is %d, expected a power of two up to %d", (int)chunks,
                    kMostChunks);
  }
  return keep_number(chunks, self, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const uint32_t blocks = ins[0].dims[0], wanted = (uint32_t)kept_number(self);
  if (!fft_is_power(blocks)) {
    return woa_fail(error, WOA_INVALID, "there are %u blocks, expected a power of two", blocks);
  }
  const uint32_t chunks = blocks < wanted ? blocks : wanted;
  const uint64_t bytes = ins[0].bytes / chunks;
  for (uint32_t k = 0; k < chunks; ++k) {
    woa_output *chunk = &outs[0].elements[k];
    fft_describe(chunk, blocks / chunks, ins[0].dims[2]);
    const woa_status status = woa_claim(chunk, "chunks", bytes, error);
    if (status != WOA_OK) return status;
    memcpy(chunk->data, ins[0].data + k * bytes, bytes);
  }
  outs[0].count = chunks;
  return WOA_OK;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .create = create, .destroy = free, .run = run};
  return &kernel;
}
