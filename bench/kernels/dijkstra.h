/* What the two kernels of the loop `dijkstra` tell each other: shortest paths from one source after another, over a
 * matrix of weights. One kernel holds the queue of nodes to look at, the other one relaxes the edges of a node. */
#ifndef WOA_BENCH_DIJKSTRA_H
#define WOA_BENCH_DIJKSTRA_H

#include <stdint.h>

enum { kNodes = 100 };

/* A node that a path of length `distance` reaches over the node `from`. */
typedef struct candidate {
  int32_t node, distance, from;
} candidate;
enum { kFromNowhere = -1 }; /* `from` of a source: what was known of the last one's paths ends */

#endif
