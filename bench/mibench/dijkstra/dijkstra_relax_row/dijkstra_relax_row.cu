// A work item for each byte of the output, since the output has the type bytes: every fourth one writes a sum.
#include "woa_cuda.h"

WOA_KERNEL(dijkstra_relax_row, WOA_IN(int, node), WOA_IN(int, weights), WOA_OUT(int, sums)) {
  if (WOA_X % 4 != 0) return;
  sums[WOA_X / 4] = node[1] + weights[node[0] * 100 + WOA_X / 4];  // of node: its number, distance, from
}
