// u8[rows,columns] -> u8[columns,rows], with `add` added to every byte.
kernel void transpose(global const uchar *in, uint in_bytes, uint4 in_dims, global uchar *out, uint out_bytes, uint4 out_dims, int add) {
  const uint row = get_global_id(1), column = get_global_id(0);
  out[row * out_dims.y + column] = (uchar)(in[column * in_dims.y + row] + add);
}

kernel void too_few(global const uchar *in, uint in_bytes, uint4 in_dims) {}
