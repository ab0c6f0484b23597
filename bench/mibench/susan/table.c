#include "bench/mibench/kept_number.h"
#include "bench/mibench/susan/susan.h"

/* How alike two pixels of difference k are: 100 exp(-(k/20)^6), rounded to float and then down. 0 beyond the end. */
enum { kAlikeCount = 26 };
static const uint8_t kAlike[kAlikeCount] = {100, 100, 99, 99, 99, 99, 99, 99, 99, 99, 98, 97, 95,
                                            92,  88,  83, 76, 68, 58, 47, 36, 26, 17, 9,  5,  2};

woa_status susan_create_table(const woa_param *params, size_t count, void **self, woa_error *error) {
  (void)params, (void)count;
  uint8_t table[kDifferences];
  for (int k = 0; k < kDifferences; ++k) {
    const int difference = abs(k - kDifferences / 2);
    table[k] = difference < kAlikeCount ? kAlike[difference] : 0;
  }
  return keep(table, sizeof table, self, error);
}
