/* Input `next`: a candidate, or nothing behind the last one. Input `weights`: 100 x 100 numbers of 32 bits. Output: the
 * nodes that are nearer now; in the end the sum of the lengths of all shortest paths (64 bits). */
#include <string.h>

#include "bench/kernels/dijkstra.h"
#include "woa/woa_kernel.h"

typedef struct paths {
  uint64_t total; /* of the sources that are done */
  int32_t length[kNodes];
} paths;

static void add_up(paths *p) {
  for (int k = 0; k < kNodes; ++k) p->total += (uint64_t)p->length[k];
}

static size_t relax(paths *p, const candidate *at, const int32_t *weights, candidate *nearer) {
  size_t count = 0;
  for (int32_t k = 0; k < kNodes; ++k) {
    const int32_t length = at->distance + weights[k];
    if (length >= p->length[k]) continue;
    p->length[k] = length;
    nearer[count++] = (candidate){k, length, at->node};
  }
  return count;
}

static void start_source(paths *p, int32_t node) {
  add_up(p); /* zeros before the first source */
  for (int k = 0; k < kNodes; ++k) p->length[k] = INT32_MAX;
  p->length[node] = 0;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  paths *p = firing->state;
  if (ins[0].bytes == 0) {
    add_up(p);
    memcpy(outs[1].data, &p->total, sizeof p->total);
    outs[1].bytes = sizeof p->total;
    outs[1].written = 1;
    return WOA_OK;
  }
  const candidate *at = (const candidate *)(const void *)ins[0].data;
  const int32_t *weights = (const int32_t *)(const void *)ins[1].data + at->node * kNodes;
  if (at->from == kFromNowhere) start_source(p, at->node);
  outs[0].bytes = relax(p, at, weights, (candidate *)(void *)outs[0].data) * sizeof *at;
  outs[0].written = 1;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(paths))
