#include "woa/woa_kernel.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = ins[0].bytes;
  outs[0].dims[0] = ins[0].dims[0];
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  const woa_status status = woa_claim(&outs[0], "data", ins[0].bytes, error);
  if (status != WOA_OK) return status;
  outs[0].dims[0] = ins[0].dims[0];
  memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
