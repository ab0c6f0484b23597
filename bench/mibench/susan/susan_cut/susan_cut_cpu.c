#include <string.h>

#include "bench/mibench/kept_number.h"
#include "bench/mibench/susan/susan.h"

enum { kMaxBands = 16 };

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "bands", 1, kMaxBands, self, error);
}

/* Band k responds to rows [k * rows / bands, (k + 1) * rows / bands) behind the border. */
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const uint32_t height = ins[0].dims[0], width = ins[0].dims[1];
  woa_status status = susan_check_size(width, height, error);
  if (status != WOA_OK) return status;
  const uint64_t rows = height - 2 * kRadius, wanted = kept_number(self);
  const uint64_t bands = rows < wanted ? rows : wanted;
  for (uint64_t k = 0; k < bands; ++k) {
    const uint64_t first = k * rows / bands, end = (k + 1) * rows / bands;
    woa_output *band = &outs[0].elements[k];
    band->dims[0] = (uint32_t)(end - first) + 2 * kRadius;
    band->dims[1] = width;
    const uint64_t bytes = (uint64_t)band->dims[0] * width;
    status = woa_claim(band, "bands", bytes, error);
    if (status != WOA_OK) return status;
    memcpy(band->data, ins[0].data + first * width, bytes);
  }
  outs[0].count = (uint32_t)bands;
  return WOA_OK;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .create = create, .destroy = free, .run = run};
  return &kernel;
}
