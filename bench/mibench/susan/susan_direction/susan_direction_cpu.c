#include "bench/mibench/susan/susan.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = susan_check_same(&ins[0], "picture", &ins[1], "response", error);
  if (status == WOA_OK) status = susan_claim(&outs[0], "map", &ins[0], 1, error);
  if (status != WOA_OK) return status;
  susan_direct(ins[0].data, (const int32_t *)(const void *)ins[1].data, (int)ins[0].dims[1], (int)ins[0].dims[0], self,
               outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = susan_create_table, .destroy = free, .size = susan_size_as_input, .run = run)
