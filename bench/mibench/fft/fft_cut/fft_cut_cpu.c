#include "bench/mibench/fft/fft.h"
#include "bench/mibench/pieces.h"

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
  const cutting chunks = {.wanted = kept_number(self), .unit = 1, .halo = 0};
  if (!fft_is_power(ins[0].dims[0])) {
    return woa_fail(error, WOA_INVALID, "there are %u blocks, expected a power of two", ins[0].dims[0]);
  }
  return cut_rows(&ins[0], &chunks, &outs[0], "chunks", error);
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .create = create, .destroy = free, .run = run};
  return &kernel;
}
