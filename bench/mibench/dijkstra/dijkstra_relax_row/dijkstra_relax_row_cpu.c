/* Input: a node with its distance, and the matrix. Output: the length of the path over it, for each of the 100 nodes.
 */
#include "bench/mibench/dijkstra/dijkstra.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  outs[0].bytes = sizeof(int32_t) * kNodes;
  return check_candidate(&ins[0], error); /* for devices, which cannot fail */
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  const candidate *at = (const candidate *)(const void *)ins[0].data;
  woa_status status = check_candidate(&ins[0], error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "sums", sizeof(int32_t) * kNodes, error);
  if (status != WOA_OK) return status;
  const int32_t *row = (const int32_t *)(const void *)ins[1].data + at->node * kNodes;
  int32_t *sums = (int32_t *)(void *)outs[0].data;
  for (int k = 0; k < kNodes; ++k) sums[k] = plus(at->distance, row[k]);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
