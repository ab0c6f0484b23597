/* Does in one firing, with the dictionary at hand, the work that *near* and *check* do in turns. */
#include "bench/mibench/ispell/tokens.h"

_Static_assert(sizeof(near_misses) <= 64 << 10, "kernel.yaml says 64KiB of scratch");

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  char list[kListRoom], kind;
  uint32_t count;
  const dictionary *d = self;
  if (ins[0].bytes == 0 || ins[0].data[0] != 'w') {
    return woa_fail(error, WOA_INVALID, "a token of %llu bytes is no word: it does not begin with `w`",
                    (unsigned long long)ins[0].bytes);
  }
  const woa_status status = check_codes(&d->affixes.letters, ins[0].data + 1, ins[0].bytes - 1, error);
  if (status != WOA_OK) return status;
  near_misses *n = (near_misses *)(void *)firing->scratch;
  const size_t bytes = all_misses(d, n, ins[0].data + 1, (uint32_t)ins[0].bytes - 1, list, &kind, &count);
  return tell_wrong(outs, "list", kind, count, list, bytes, error);
}

WOA_KERNEL_TABLE(.create = create_dictionary, .destroy = destroy_dictionary, .run = run)
