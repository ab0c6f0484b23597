#include "bench/mibench/jpeg/codec.h"

enum { kHalfQuality = 50, kLargestStep = 32767 };

static const uint8_t kAnnexK[2][kBlockSize] = {
    {16, 11,  10,  16, 24, 40, 51, 61, 12,  12,  14,  19,  26, 58, 60, 55,  14,  13,  16,  24, 40, 57,
     69, 56,  14,  17, 22, 29, 51, 87, 80,  62,  18,  22,  37, 56, 68, 109, 103, 77,  24,  35, 55, 64,
     81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98,  112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
     99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

void codec_make_steps(int table, int quality, uint16_t steps[kBlockSize]) {
  const int percent = quality < kHalfQuality ? 5000 / quality : 200 - 2 * quality;
  for (int k = 0; k < kBlockSize; ++k) {
    const int step = (kAnnexK[table][k] * percent + 50) / 100;
    steps[k] = (uint16_t)(step < 1 ? 1 : step > kLargestStep ? kLargestStep : step);
  }
}
