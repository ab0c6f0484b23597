/* Input `node`: a node to look at; nothing if the queue is empty. Output: the nodes that it brings nearer; of an empty
 * queue the line of the source. */
#include "bench/mibench/dijkstra/dijkstra.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  paths *p = firing->state;
  if (ins[0].bytes == 0) return write_line(p, &outs[1], error);
  woa_status status = check_candidate(&ins[0], error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "candidates", sizeof(candidate) * kNodes, error);
  if (status != WOA_OK) return status;
  const candidate *at = (const candidate *)(const void *)ins[0].data;
  if (at->from == kFromNowhere) start_paths(p, at->node);
  const int32_t *row = (const int32_t *)(const void *)ins[1].data + at->node * kNodes;
  outs[0].bytes = relax(p, at, row, (candidate *)(void *)outs[0].data, 0, UINT32_MAX) * sizeof *at;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(paths))
