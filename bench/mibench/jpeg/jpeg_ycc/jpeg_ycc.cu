// Defined in convert.c. One work item per sample of Y; the first of them also write a sample of Cb and Cr each.
#include "woa_cuda.h"

WOA_FUNCTION int blueness(WOA_GLOBAL const woa_u8 *p) {
  return (32768 * p[2] - 11059 * p[0] - 21709 * p[1] + (128 << 16) + 32767) >> 16;
}
WOA_FUNCTION int redness(WOA_GLOBAL const woa_u8 *p) {
  return (32768 * p[0] - 27439 * p[1] - 5329 * p[2] + (128 << 16) + 32767) >> 16;
}
WOA_FUNCTION woa_size smaller(woa_size a, woa_size b) { return a < b ? a : b; }

WOA_KERNEL(jpeg_ycc, WOA_IN(woa_u8, image), WOA_OUT(woa_u8, luma), WOA_OUT(woa_u8, cb), WOA_OUT(woa_u8, cr)) {
  const woa_size height = WOA_DIM(image, 0), width = WOA_DIM(image, 1), x = WOA_X, y = WOA_Y;
  WOA_GLOBAL const woa_u8 *p = image + 3 * (smaller(y, height - 1) * width + smaller(x, width - 1));
  luma[y * WOA_DIM(luma, 1) + x] = (woa_u8)((19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16);
  if (x >= WOA_DIM(cb, 1) || y >= WOA_DIM(cb, 0)) return;
  const woa_size top = 2 * smaller(y, (height + 1) / 2 - 1), bottom = smaller(top + 1, height - 1);
  const woa_size left = smaller(2 * x, width - 1), right = smaller(2 * x + 1, width - 1);
  WOA_GLOBAL const woa_u8 *a = image + 3 * (top * width + left), *b = image + 3 * (top * width + right);
  WOA_GLOBAL const woa_u8 *c = image + 3 * (bottom * width + left), *d = image + 3 * (bottom * width + right);
  const woa_size at = y * WOA_DIM(cb, 1) + x;
  const int bias = 1 + (int)(x % 2);
  cb[at] = (woa_u8)((blueness(a) + blueness(b) + blueness(c) + blueness(d) + bias) >> 2);
  cr[at] = (woa_u8)((redness(a) + redness(b) + redness(c) + redness(d) + bias) >> 2);
}
