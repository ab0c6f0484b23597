/* Whole numbers in decimal, for kernels that write text: printf takes several times as long. */
#ifndef WOA_BENCH_MIBENCH_DECIMAL_H
#define WOA_BENCH_MIBENCH_DECIMAL_H

#include <stdint.h>

/* Writes a number of up to 20 digits, and returns the place behind it. */
static inline char *write_whole(uint64_t number, char *to) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) *to++ = digits[--count];
  return to;
}

#endif /* WOA_BENCH_MIBENCH_DECIMAL_H */
