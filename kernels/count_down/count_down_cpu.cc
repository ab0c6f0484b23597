#include "woa/woa_kernel.h"

namespace {

woa_status run(void*, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  int64_t n = 0;
  memcpy(&n, ins[0].data, sizeof n);
  if (n < 0) return woa_fail(error, WOA_INVALID, "n is %lld, expected 0 or more", (long long)n);
  woa_output& out = outs[n > 0 ? 0 : 1];
  if (const woa_status status = woa_claim(&out, n > 0 ? "again" : "done", sizeof n, error); status != WOA_OK)
    return status;
  if (n > 0) --n;
  memcpy(out.data, &n, sizeof n);
  out.dims[0] = 1;
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.run = run)
