/* Input: the number of pairs. Output: the source of each, as an element of its own. */
#include "bench/mibench/dijkstra/dijkstra.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  uint32_t pairs = 0;
  if (ins[0].bytes == sizeof pairs) memcpy(&pairs, ins[0].data, sizeof pairs);
  if (pairs < 1 || pairs > kMostPairs)
    return woa_fail(error, WOA_INVALID, "there are %u pairs, expected 1 to %d", pairs, kMostPairs);
  for (uint32_t k = 0; k < pairs; ++k) {
    const candidate source = {(int32_t)(k % kNodes), 0, kFromNowhere};
    const woa_status status = put_candidate(&outs[0].elements[k], "source", &source, error);
    if (status != WOA_OK) return status;
  }
  outs[0].count = pairs;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run)
