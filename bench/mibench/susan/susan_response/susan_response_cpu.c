#include "bench/mibench/susan/susan.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  const woa_status status = susan_check_size(ins[0].dims[1], ins[0].dims[0], error);
  if (status != WOA_OK) return status;
  outs[0].dims[0] = ins[0].dims[0];
  outs[0].dims[1] = ins[0].dims[1];
  outs[0].bytes = ins[0].bytes * sizeof(int32_t);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = susan_check_size(ins[0].dims[1], ins[0].dims[0], error);
  if (status == WOA_OK) status = susan_claim(&outs[0], "response", &ins[0], sizeof(int32_t), error);
  if (status != WOA_OK) return status;
  susan_respond(ins[0].data, (int)ins[0].dims[1], (int)ins[0].dims[0], self, (int32_t *)(void *)outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = susan_create_table, .destroy = free, .size = size, .run = run)
