/* The search of dijkstra as a plain loop, for the time of the kernels beside it. */
#include "bench/mibench/dijkstra/plain.h"

static struct { int32_t node, distance; } waiting[1 << 20];

int64_t plain_search(const int32_t *matrix, int32_t source, int32_t *length, int32_t *from) {
  size_t head = 0, tail = 0;
  for (int k = 0; k < 100; ++k) {
    length[k] = 0x3fffffff;
    from[k] = -1;
  }
  length[source] = 0;
  waiting[tail].node = source;
  waiting[tail++].distance = 0;
  while (head < tail) {
    const int32_t node = waiting[head].node, distance = waiting[head++].distance;
    const int32_t *row = matrix + node * 100;
    for (int32_t k = 0; k < 100; ++k) {
      const int32_t sum = distance + row[k];
      if (sum >= length[k]) continue;
      length[k] = sum;
      from[k] = node;
      waiting[tail].node = k;
      waiting[tail++].distance = sum;
    }
  }
  return (int64_t)head;
}
