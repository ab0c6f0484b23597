#include "bench/mibench/kept_number.h"
#include "bench/mibench/pieces.h"
#include "bench/mibench/susan/susan.h"

enum { kMaxBands = 16 };

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "bands", 1, kMaxBands, self, error);
}

/* A band responds to its rows without a border of kRadius on both sides, so it has the rows of both borders, too. */
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const cutting bands = {.wanted = kept_number(self), .unit = 1, .halo = 2 * kRadius};
  const woa_status status = susan_check_size(ins[0].dims[1], ins[0].dims[0], error);
  return status == WOA_OK ? cut_rows(&ins[0], &bands, &outs[0], "bands", error) : status;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .create = create, .destroy = free, .run = run};
  return &kernel;
}
