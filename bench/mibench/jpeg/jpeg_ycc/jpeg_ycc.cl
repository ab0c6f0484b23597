// Defined in convert.c. One work item per sample of Y; the first of them also write a sample of Cb and Cr each.
int blueness(global const uchar *p) { return (32768 * p[2] - 11059 * p[0] - 21709 * p[1] + (128 << 16) + 32767) >> 16; }
int redness(global const uchar *p) { return (32768 * p[0] - 27439 * p[1] - 5329 * p[2] + (128 << 16) + 32767) >> 16; }

kernel void jpeg_ycc(global const uchar *image, uint bytes, uint4 dims, global uchar *luma, uint luma_bytes,
                     uint4 luma_dims, global uchar *cb, uint cb_bytes, uint4 cb_dims, global uchar *cr, uint cr_bytes,
                     uint4 cr_dims) {
  const int height = (int)dims.x, width = (int)dims.y;
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);
  global const uchar *p = image + 3 * (min(y, height - 1) * width + min(x, width - 1));
  luma[y * (int)luma_dims.y + x] = (uchar)((19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16);
  if (x >= (int)cb_dims.y || y >= (int)cb_dims.x) return;
  const int top = 2 * min(y, (height + 1) / 2 - 1), bottom = min(top + 1, height - 1);
  const int left = min(2 * x, width - 1), right = min(2 * x + 1, width - 1);
  global const uchar *a = image + 3 * (top * width + left), *b = image + 3 * (top * width + right);
  global const uchar *c = image + 3 * (bottom * width + left), *d = image + 3 * (bottom * width + right);
  const int at = y * (int)cb_dims.y + x, bias = 1 + x % 2;
  cb[at] = (uchar)((blueness(a) + blueness(b) + blueness(c) + blueness(d) + bias) >> 2);
  cr[at] = (uchar)((redness(a) + redness(b) + redness(c) + redness(d) + bias) >> 2);
}
