// A work item for each byte of the output, since the output has the type bytes: every fourth one writes a sum.
#include "woa_cuda.h"

WOA_KERNEL(dijkstra_relax_row, const int *node, woa_u64 node_bytes, woa_dims node_dims, const int *weights,
           woa_u64 weights_bytes, woa_dims weights_dims, int *sums, woa_u64 sums_bytes, woa_dims sums_dims) {
  if (WOA_X % 4 != 0) return;
  sums[WOA_X / 4] = node[1] + weights[node[0] * 100 + WOA_X / 4];  // of node: its number, distance, from
}
