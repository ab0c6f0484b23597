// Defined in sharpen3x3.md. One work item per pixel.
kernel void sharpen3x3(global const uchar *in, uint in_bytes, uint4 in_dims, global uchar *out, uint out_bytes, uint4 out_dims) {
  const uint height = in_dims.x, width = in_dims.y, channels = in_dims.z, stride = width * channels;
  const uint x = (uint)get_global_id(0), y = (uint)get_global_id(1);
  const uint up = y == 0 ? 0 : stride, down = y == height - 1 ? 0 : stride;
  const uint left = x == 0 ? 0 : channels, right = x == width - 1 ? 0 : channels;
  const uint pixel = y * stride + x * channels;
  for (uint i = pixel; i < pixel + channels; ++i) {
    const int sum = 5 * in[i] - in[i - up] - in[i + down] - in[i - left] - in[i + right];
    out[i] = (uchar)clamp(sum, 0, 255);
  }
}
