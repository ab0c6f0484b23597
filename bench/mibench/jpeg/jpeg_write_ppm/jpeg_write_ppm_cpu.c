#include "bench/mibench/jpeg/codec.h"
#include "bench/mibench/netpbm.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = netpbm_file_bound(&ins[0]);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  return netpbm_write(&ins[0], kChannels, &outs[0], error);
}

WOA_KERNEL_TABLE(.size = size, .run = run)
