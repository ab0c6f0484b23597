/* Input: a source and the matrix. Output: its line. */
#include "bench/mibench/dijkstra/dijkstra.h"

typedef struct search {
  paths paths;
  queue queue;
} search;

/* Many times what weights from 0 on need: each of 100 nodes comes nearer in each of 100 rounds at most. */
enum { kMostLooks = 1000000 };

static woa_status goes_round(woa_error *error) {
  return woa_fail(error, WOA_INVALID, "nodes come nearer for ever, expected weights from 0 to %d", kNoEdge);
}

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
  for (long looked_at = 0;; ++looked_at) {
    const woa_status status = looked_at < kMostLooks ? check_room(q, kNodes, error) : goes_round(error);
    if (status != WOA_OK) return status;
    q->tail = relax(&s->paths, &at, matrix + at.node * kNodes, q->ring, q->tail, kQueueRoom - 1);
    if (q->head == q->tail) break;
    at = q->ring[q->head++ % kQueueRoom];
  }
  return write_line(&s->paths, &outs[0], error);
}

WOA_KERNEL_TABLE(.run = run)
