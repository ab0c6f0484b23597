/* Input: a source and the matrix. Output: its line. */
#include "bench/mibench/dijkstra/dijkstra.h"

typedef struct search {
  paths paths;
  queue queue;
} search;

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  const int32_t *matrix = (const int32_t *)(const void *)ins[1].data;
  search *s = (search *)(void *)firing->scratch;
  candidate at;
  const woa_status found = check_candidate(&ins[0], error);
  if (found != WOA_OK) return found;
  memcpy(&at, ins[0].data, sizeof at);
  start_paths(&s->paths, at.node);
  s->queue.head = s->queue.tail = 0;
  queue *q = &s->queue;
  for (;;) {
    const woa_status status = check_room(q, error);
    if (status != WOA_OK) return status;
    q->tail = relax(&s->paths, &at, matrix + at.node * kNodes, q->ring, q->tail, kQueueRoom - 1);
    if (q->head == q->tail) break;
    at = q->ring[q->head++ % kQueueRoom];
  }
  outs[0].bytes = write_line(&s->paths, (char *)outs[0].data);
  outs[0].written = 1;
  return WOA_OK;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {.abi = WOA_KERNEL_ABI, .run = run};
  return &kernel;
}
