// Defined in resize_bilinear.md. One work item per output pixel.

// x: first input pixel, y: second, z: weight of the second.
static uint3 place(uint i, uint size, uint new_size) {
  const ulong shifted = (2 * i + 1) * ((ulong)size << 15) / new_size;
  const ulong position = max(shifted, 32768ul) - 32768;
  const uint first = (uint)(position >> 16);
  return (uint3)(first, min(first + 1, size - 1), (uint)(position & 65535) >> 5);
}

static uint blend(uint a, uint b, uint weight) { return (2048 - weight) * a + weight * b; }

kernel void resize_bilinear(global const uchar *in, uint in_bytes, uint4 in_dims, global uchar *out, uint out_bytes,
                            uint4 out_dims, int width, int height) {
  const uint channels = in_dims.z, stride = in_dims.y * channels;
  const uint x = (uint)get_global_id(0), y = (uint)get_global_id(1);
  const uint3 column = place(x, in_dims.y, (uint)width), row = place(y, in_dims.x, (uint)height);
  global const uchar *above = in + row.x * stride, *below = in + row.y * stride;
  const uint left = column.x * channels, right = column.y * channels;
  global uchar *pixel = out + (y * (uint)width + x) * channels;
  for (uint c = 0; c < channels; ++c) {
    const uint upper = blend(above[left + c], above[right + c], column.z);
    const uint lower = blend(below[left + c], below[right + c], column.z);
    pixel[c] = (uchar)((blend(upper, lower, row.z) + (1u << 21)) >> 22);
  }
}
