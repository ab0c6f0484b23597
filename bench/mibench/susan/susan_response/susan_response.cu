// One work item per pixel; the table and the mask are those of susan.h.
#include "woa_cuda.h"

WOA_TABLE woa_u8 alike[26] = {100, 100, 99, 99, 99, 99, 99, 99, 99, 99, 98, 97, 95,
                              92,  88,  83, 76, 68, 58, 47, 36, 26, 17, 9,  5,  2};
WOA_TABLE int half_width[7] = {1, 2, 3, 3, 3, 2, 1};

WOA_KERNEL(susan_response, WOA_IN(woa_u8, picture), WOA_OUT(int, out)) {
  const woa_offset height = WOA_DIM(picture, 0), width = WOA_DIM(picture, 1), x = (woa_offset)WOA_X,
                   y = (woa_offset)WOA_Y;
  WOA_GLOBAL const woa_u8 *at = picture + y * width + x;
  int response = 0;
  if (x >= 3 && x < width - 3 && y >= 3 && y < height - 3) {
    int sum = 0;
    for (int dy = -3; dy <= 3; ++dy) {
      const int half_row = half_width[dy + 3];
      for (int dx = -half_row; dx <= half_row; ++dx) {
        const int difference = at[dy * width + dx] - at[0], distance = difference < 0 ? -difference : difference;
        sum += distance < 26 ? alike[distance] : 0;
      }
    }
    response = sum <= 2650 ? 2650 - sum : 0;
  }
  out[y * width + x] = response;
}
