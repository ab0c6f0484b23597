/* Entropy coding of coefficients, by libjpeg. */
#ifndef WOA_BENCH_MIBENCH_JPEG_ENTROPY_H
#define WOA_BENCH_MIBENCH_JPEG_ENTROPY_H

#include "bench/mibench/jpeg/codec.h"

enum { kBaseline, kOptimal, kProgressive }; /* the choices of parameter `coding`, in order */

typedef struct entropy_settings {
  int quality, coding;
} entropy_settings;

/* `create` and `destroy` of kernels whose *self is entropy_settings, from parameters `quality` and `coding`. */
woa_status entropy_create(const woa_param *params, size_t count, void **self, woa_error *error);
void entropy_destroy(void *self);

/* Coefficients of Y, Cb and Cr; blocks of each are known from the image's size. */
typedef struct entropy_image {
  uint32_t height, width;
  const int16_t *component[kChannels];
} entropy_image;

/* Writes a file to `out`, the port called `jpeg`. */
woa_status entropy_encode(const entropy_image *image, const entropy_settings *settings, woa_output *out,
                          woa_error *error);

/* Reads the size of the image that a file holds. Fails for files that are no JPEG with 4:2:0. */
woa_status entropy_measure(const woa_input *file, uint32_t *height, uint32_t *width, woa_error *error);

/* Decodes a file of that size to coefficients, and the steps of each component. */
woa_status entropy_decode(const woa_input *file, int16_t *const component[kChannels],
                          uint16_t steps[kChannels * kBlockSize], woa_error *error);

#endif /* WOA_BENCH_MIBENCH_JPEG_ENTROPY_H */
