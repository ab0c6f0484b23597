/* The plain loops of plain.c. */
#ifndef WOA_BENCH_MIBENCH_FFT_PLAIN_H
#define WOA_BENCH_MIBENCH_FFT_PLAIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The transform of `count` samples: real parts and imaginary ones. `factors` has room for `count` numbers. */
void plain_transform(const float *samples, uint32_t count, int inverse, float *re, float *im, double *factors);

#ifdef __cplusplus
}
#endif
#endif
