#include <string.h>

#include "bench/mibench/susan/susan.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  woa_status status = susan_check_same(&ins[0], "picture", &ins[1], "map", error);
  if (status == WOA_OK) status = susan_claim(&outs[0], "picture", &ins[0], 1, error);
  if (status != WOA_OK) return status;
  if (outs[0].data != ins[0].data && ins[0].bytes > 0) memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  susan_draw(ins[1].data, (int)ins[0].dims[1], (int)ins[0].dims[0], outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = susan_size_as_input, .run = run)
