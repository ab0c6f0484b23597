/* Input: candidates, which are queued. Output: the oldest candidate; nothing of an empty queue. */
#include "bench/mibench/dijkstra/dijkstra.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  queue *q = firing->state;
  const candidate *nearer = (const candidate *)(const void *)ins[0].data;
  if (ins[0].bytes % sizeof *nearer != 0) {
    return woa_fail(error, WOA_INVALID, "the nodes have %llu bytes, expected %zu each",
                    (unsigned long long)ins[0].bytes, sizeof *nearer);
  }
  const woa_status status = append(q, nearer, ins[0].bytes / sizeof *nearer, error);
  if (status != WOA_OK) return status;
  if (q->head == q->tail) return woa_claim(&outs[0], "node", 0, error);
  return put_candidate(&outs[0], "node", &q->ring[q->head++ % kQueueRoom], error);
}

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(queue))
