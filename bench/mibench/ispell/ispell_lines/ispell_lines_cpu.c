#include "bench/mibench/ispell/tokens.h"
#include "bench/mibench/pieces.h"

_Static_assert(sizeof(near_misses) <= 64 << 10, "kernel.yaml says 64KiB of scratch");

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  result r = {(char *)outs[0].data, 0, outs[0].capacity, true};
  if (!check_text(self, (near_misses *)(void *)firing->scratch, data_of(&ins[0]), ins[0].bytes, &r)) {
    return woa_claim(outs, "results", 2 * r.room + 1, error);
  }
  return woa_claim(outs, "results", r.bytes, error);
}

WOA_KERNEL_TABLE(.create = create_dictionary, .destroy = destroy_dictionary, .run = run)
