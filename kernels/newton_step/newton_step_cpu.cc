#include <cmath>

#include "woa/woa_kernel.h"

namespace {

constexpr double kTolerance = 1e-12;  // convergence is quadratic: the remaining error is below the last bit

// (x + f / x) / 2 for every element; `changed`: at least one has not converged.
woa_status step(const double* x, const double* f, size_t count, double* next, bool* changed, woa_error* error) {
  *changed = false;
  for (size_t i = 0; i < count; ++i) {
    if (!(f[i] >= 0 && std::isfinite(f[i]) && x[i] > 0 && std::isfinite(x[i])) && !(f[i] == 0 && x[i] == 0)) {
      return woa_fail(error, WOA_INVALID, "element %zu: x is %g and f is %g, expected x > 0 and f >= 0", i, x[i], f[i]);
    }
    next[i] = f[i] == 0 ? 0 : (x[i] + f[i] / x[i]) / 2;
    if (std::fabs(next[i] - x[i]) > kTolerance * next[i]) *changed = true;
  }
  return WOA_OK;
}

woa_status run(void*, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  if (ins[0].dims[0] != ins[1].dims[0]) {
    return woa_fail(error, WOA_INVALID, "x has %u elements and f has %u", ins[0].dims[0], ins[1].dims[0]);
  }
  woa_output& again = outs[0];
  if (const woa_status status = woa_claim(&again, "again", ins[0].bytes, error); status != WOA_OK) return status;
  bool changed = false;
  const woa_status status =
      step(reinterpret_cast<const double*>(ins[0].data), reinterpret_cast<const double*>(ins[1].data), ins[0].dims[0],
           reinterpret_cast<double*>(again.data), &changed, error);
  again.dims[0] = ins[0].dims[0];
  if (status != WOA_OK || changed) return status;
  again.written = 0;
  woa_output& done = outs[1];
  if (const woa_status fits = woa_claim(&done, "done", ins[0].bytes, error); fits != WOA_OK) return fits;
  if (ins[0].bytes != 0) memcpy(done.data, again.data, ins[0].bytes);
  done.dims[0] = ins[0].dims[0];
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.run = run)
