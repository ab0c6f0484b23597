#include "bench/mibench/susan/susan.h"

enum { kWhite = 255, kBlack = 0 };

/* White around every pixel of an edge first, so that no white covers the edge. */
void susan_draw(const uint8_t *map, int width, int height, uint8_t *picture) {
  for (int y = 1; y < height - 1; ++y) {
    for (int x = 1; x < width - 1; ++x) {
      const size_t at = (size_t)y * (size_t)width + (size_t)x;
      if (map[at] >= kOn) continue;
      for (ptrdiff_t dy = -1; dy <= 1; ++dy) {
        uint8_t *row = picture + (ptrdiff_t)at + dy * width;
        row[-1] = kWhite;
        if (dy != 0) row[0] = kWhite;
        row[1] = kWhite;
      }
    }
  }
  const size_t pixels = (size_t)width * (size_t)height;
  for (size_t at = 0; at < pixels; ++at) {
    if (map[at] < kOn) picture[at] = kBlack;
  }
}
