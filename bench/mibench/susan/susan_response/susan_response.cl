// One work item per pixel; the table and the mask are those of susan.h.
constant uchar alike[26] = {100, 100, 99, 99, 99, 99, 99, 99, 99, 99, 98, 97, 95,
                            92,  88,  83, 76, 68, 58, 47, 36, 26, 17, 9,  5,  2};
constant int half_width[7] = {1, 2, 3, 3, 3, 2, 1};

kernel void susan_response(global const uchar *picture, uint bytes, uint4 dims, global uchar *out, uint out_bytes,
                           uint4 out_dims) {
  const int height = (int)dims.x, width = (int)dims.y;
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);
  const int at = y * width + x;
  int response = 0;
  if (x >= 3 && x < width - 3 && y >= 3 && y < height - 3) {
    int sum = 0;
    for (int dy = -3; dy <= 3; ++dy) {
      const int half_row = half_width[dy + 3];
      for (int dx = -half_row; dx <= half_row; ++dx) {
        const uint difference = abs((int)picture[at + dy * width + dx] - (int)picture[at]);
        sum += difference < 26 ? alike[difference] : 0;
      }
    }
    response = sum <= 2650 ? 2650 - sum : 0;
  }
  ((global int *)out)[at] = response;
}
