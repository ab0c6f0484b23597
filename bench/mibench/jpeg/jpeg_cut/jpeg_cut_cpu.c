#include "bench/mibench/jpeg/codec.h"
#include "bench/mibench/kept_number.h"

enum { kMaxStrips = 16 };

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "strips", 1, kMaxStrips, self, error);
}

/* Strip k has the units [k * units / strips, (k + 1) * units / strips). */
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const uint64_t height = ins[0].dims[0], row_bytes = (uint64_t)ins[0].dims[1] * kChannels;
  woa_status status = codec_check_image(&ins[0], error);
  if (status != WOA_OK) return status;
  const uint64_t units = (height + kUnit - 1) / kUnit, wanted = kept_number(self);
  const uint64_t strips = units < wanted ? units : wanted;
  for (uint64_t k = 0; k < strips; ++k) {
    const uint64_t first = k * units / strips * kUnit, beyond = (k + 1) * units / strips * kUnit;
    const uint64_t rows = (beyond < height ? beyond : height) - first;
    woa_output *strip = &outs[0].elements[k];
    strip->dims[0] = (uint32_t)rows;
    strip->dims[1] = ins[0].dims[1];
    strip->dims[2] = kChannels;
    status = woa_claim(strip, "strips", rows * row_bytes, error);
    if (status != WOA_OK) return status;
    memcpy(strip->data, ins[0].data + first * row_bytes, rows * row_bytes);
  }
  outs[0].count = (uint32_t)strips;
  return WOA_OK;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .create = create, .destroy = free, .run = run};
  return &kernel;
}
