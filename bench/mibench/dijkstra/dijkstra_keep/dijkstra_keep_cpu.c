/* Input: a source, or the lengths of the paths over the node that was sent last. Output: the oldest node to look at; of
 * an empty queue the line of the source. Queue and comparisons are here, so that the other half of the loop is pure. */
#include "bench/mibench/dijkstra/dijkstra.h"

typedef struct search {
  int32_t at; /* the node that was sent last */
  paths paths;
  queue queue;
} search;

static woa_status take(search *s, const woa_input *in, woa_error *error) {
  candidate nearer[kNodes];
  if (in->bytes == sizeof(candidate)) {
    const woa_status status = check_candidate(in, error);
    if (status != WOA_OK) return status;
    memcpy(nearer, in->data, sizeof(candidate));
    start_paths(&s->paths, nearer[0].node);
    return append(&s->queue, nearer, 1, error);
  }
  if (in->bytes != sizeof(int32_t) * kNodes) {
    return woa_fail(error, WOA_INVALID, "the sums have %llu bytes, expected %zu", (unsigned long long)in->bytes,
                    sizeof(int32_t) * kNodes);
  }
  const size_t count = keep_nearer(&s->paths, s->at, (const int32_t *)(const void *)in->data, nearer);
  return append(&s->queue, nearer, count, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  search *s = firing->state;
  const woa_status status = take(s, ins, error);
  if (status != WOA_OK) return status;
  if (s->queue.head == s->queue.tail) return write_line(&s->paths, &outs[1], error);
  const candidate *oldest = &s->queue.ring[s->queue.head++ % kQueueRoom];
  s->at = oldest->node;
  return put_candidate(&outs[0], "node", oldest, error);
}

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(search))
