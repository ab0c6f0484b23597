#include "bench/mibench/jpeg/codec.h"
#include "bench/mibench/kept_number.h"
#include "bench/mibench/pieces.h"

enum { kMaxStrips = 16 };

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "strips", 1, kMaxStrips, self, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const cutting strips = {.wanted = kept_number(self), .unit = kUnit, .halo = 0};
  const woa_status status = codec_check_image(&ins[0], error);
  return status == WOA_OK ? cut_rows(&ins[0], &strips, &outs[0], "strips", error) : status;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .create = create, .destroy = free, .run = run};
  return &kernel;
}
