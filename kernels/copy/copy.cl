kernel void copy(global const uchar *in, uint in_bytes, uint4 in_dims, global uchar *out, uint out_bytes, uint4 out_dims) {
  const size_t i = get_global_id(0);
  out[i] = in[i];
}
