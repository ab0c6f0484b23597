#include <string.h>

#include "bench/mibench/susan/susan.h"

static woa_status find_height(const woa_input *bands, uint32_t *height, woa_error *error) {
  *height = 2 * kRadius;
  if (bands->count == 0) return woa_fail(error, WOA_INVALID, "there is no band, expected at least one");
  for (uint32_t k = 0; k < bands->count; ++k) {
    const woa_input *band = &bands->elements[k];
    const woa_status status = susan_check_size(band->dims[1], band->dims[0], error);
    if (status != WOA_OK) return status;
    if (band->dims[1] != bands->elements[0].dims[1]) {
      return woa_fail(error, WOA_INVALID, "band %u is %u pixels wide, expected %u, the width of the first", k,
                      band->dims[1], bands->elements[0].dims[1]);
    }
    *height += band->dims[0] - 2 * kRadius;
  }
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  uint32_t height = 0;
  woa_status status = find_height(&ins[0], &height, error);
  if (status != WOA_OK) return status;
  const uint64_t row_bytes = (uint64_t)ins[0].elements[0].dims[1] * sizeof(int32_t), border = kRadius * row_bytes;
  outs[0].dims[0] = height;
  outs[0].dims[1] = ins[0].elements[0].dims[1];
  status = woa_claim(&outs[0], "response", height * row_bytes, error);
  if (status != WOA_OK) return status;
  uint8_t *to = outs[0].data;
  memset(to, 0, border);
  to += border;
  for (uint32_t k = 0; k < ins[0].count; ++k) {
    const woa_input *band = &ins[0].elements[k];
    memcpy(to, band->data + border, band->bytes - 2 * border);
    to += band->bytes - 2 * border;
  }
  memset(to, 0, border);
  return WOA_OK;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .run = run};
  return &kernel;
}
