/* A work item for each byte of the output, since the output has the type bytes: every fourth one writes a sum. */
kernel void dijkstra_relax_row(global const uchar *node, uint node_bytes, uint4 node_dims, global const uchar *matrix,
                               uint matrix_bytes, uint4 matrix_dims, global uchar *sums, uint sums_bytes, uint4 sums_dims) {
  const size_t byte = get_global_id(0);
  if (byte % 4 != 0) return;
  global const int *at = (global const int *)node; /* node, distance, from */
  global const int *weights = (global const int *)matrix;
  ((global int *)sums)[byte / 4] = at[1] + weights[at[0] * 100 + byte / 4];
}
