/* First input: the number of sources (64 bits). Every other one: candidates. Output: the oldest candidate; of an empty
 * queue the next source, and behind the last source nothing. */
#include <string.h>

#include "bench/kernels/dijkstra.h"
#include "woa/woa_kernel.h"

enum { kRoom = 4096 };

typedef struct queue {
  uint64_t sources, started; /* sources: 0 until the first input */
  uint32_t head, tail;
  candidate ring[kRoom];
} queue;

static woa_status append(queue *q, const woa_input *in, woa_error *error) {
  const size_t count = in->bytes / sizeof(candidate);
  if (q->tail - q->head + count > kRoom) return woa_fail(error, WOA_EXHAUSTED, "the queue is full");
  const candidate *candidates = (const candidate *)(const void *)in->data;
  for (size_t k = 0; k < count; ++k) q->ring[q->tail++ % kRoom] = candidates[k];
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  queue *q = firing->state;
  candidate *next = (candidate *)(void *)outs[0].data;
  if (q->sources == 0) {
    if (ins[0].bytes != sizeof q->sources) return woa_fail(error, WOA_INVALID, "the number of sources has 8 bytes");
    memcpy(&q->sources, ins[0].data, sizeof q->sources);
  } else {
    const woa_status status = append(q, ins, error);
    if (status != WOA_OK) return status;
  }
  outs[0].written = 1;
  outs[0].bytes = sizeof *next;
  if (q->head != q->tail) {
    *next = q->ring[q->head++ % kRoom];
  } else if (q->started < q->sources) {
    *next = (candidate){(int32_t)(q->started++ % kNodes), 0, kFromNowhere};
  } else {
    outs[0].bytes = 0;
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(queue))
