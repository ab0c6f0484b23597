/* The search of dijkstra as a plain loop, for the time of the kernels beside it. */
#include "bench/mibench/dijkstra/plain.h"

#include <stdlib.h>

enum { kRoom = 4096, kGroup = 20 }; /* kRoom: a power of two */

static struct { int32_t node, distance; } waiting[kRoom];

/* True if any of 20 nodes is nearer over a node at `distance`; compilers make vector instructions of it. */
static int any_nearer(const int32_t *length, int32_t distance, const int32_t *row) {
  int nearer = 0;
  for (int k = 0; k < kGroup; ++k) nearer |= distance + row[k] < length[k];
  return nearer;
}

int64_t plain_search(const int32_t *matrix, int32_t source, int32_t *length, int32_t *from) {
  uint32_t head = 0, tail = 0;
  for (int k = 0; k < 100; ++k) {
    length[k] = 0x3fffffff;
    from[k] = -1;
  }
  length[source] = 0;
  waiting[tail].node = source;
  waiting[tail++].distance = 0;
  for (; head != tail; ++head) {
    const int32_t node = waiting[head % kRoom].node, distance = waiting[head % kRoom].distance;
    const int32_t *row = matrix + node * 100;
    if (tail - head > kRoom - 100) abort();
    for (int32_t group = 0; group < 100; group += kGroup) {
      if (!any_nearer(length + group, distance, row + group)) continue;
      for (int32_t k = group; k < group + kGroup; ++k) {
        const int32_t sum = distance + row[k];
        if (sum >= length[k]) continue;
        length[k] = sum;
        from[k] = node;
        waiting[tail % kRoom].node = k;
        waiting[tail++ % kRoom].distance = sum;
      }
    }
  }
  return (int64_t)head;
}
