// Defined in resize_bilinear.md. One work item per output pixel.

// x: first input pixel, y: second, z: weight of the second.
static uint3 place(uint i, uint size, uint new_size) {
  const ulong shifted = (2 * i + 1) * ((ulong)size << 15) / new_size;
  const ulong position = max(shifted, 32768ul) - 32768;
  const uint first = (uint)(position >> 16);
  return (uint3)(first, min(first + 1, size - 1), (uint)(position & 65535) >> 5);
}

static uint blend(uint a, uint b, uint weight) { return (2048 - weight) * a + weight * b; }

// a * b / c, rounded, and at least 1.
static uint scaled(uint a, uint b, uint c) { return (uint)max((2 * (ulong)a * b + c) / (2 * (ulong)c), (ulong)1); }

// The part of the input that is resized: its first row and column, its height and width. `fit` is the position in
// kernel.yaml: 2 is cover. For contain, out_dims has the size already.
static uint4 window(uint4 in_dims, int fit, uint width, uint height) {
  uint2 part = in_dims.xy;
  if (fit == 2 && (ulong)in_dims.y * height > (ulong)in_dims.x * width) part.y = scaled(in_dims.x, width, height);
  if (fit == 2 && (ulong)in_dims.y * height < (ulong)in_dims.x * width) part.x = scaled(in_dims.y, height, width);
  return (uint4)((in_dims.xy - part) / 2, part);
}

kernel void resize_bilinear(global const uchar *in, uint in_bytes, uint4 in_dims, global uchar *out, uint out_bytes,
                            uint4 out_dims, int width, int height, int fit) {
  const uint channels = in_dims.z, stride = in_dims.y * channels;
  const uint x = (uint)get_global_id(0), y = (uint)get_global_id(1);
  const uint4 part = window(in_dims, fit, (uint)width, (uint)height);
  const uint3 column = place(x, part.w, out_dims.y), row = place(y, part.z, out_dims.x);
  global const uchar *corner = in + part.x * stride + part.y * channels;
  global const uchar *above = corner + row.x * stride, *below = corner + row.y * stride;
  const uint left = column.x * channels, right = column.y * channels;
  global uchar *pixel = out + (y * out_dims.y + x) * channels;
  for (uint c = 0; c < channels; ++c) {
    const uint upper = blend(above[left + c], above[right + c], column.z);
    const uint lower = blend(below[left + c], below[right + c], column.z);
    pixel[c] = (uchar)((blend(upper, lower, row.z) + (1u << 21)) >> 22);
  }
}
