/* Entropy coding of coefficients, by libjpeg. */
#ifndef WOA_BENCH_MIBENCH_JPEG_ENTROPY_H
#define WOA_BENCH_MIBENCH_JPEG_ENTROPY_H

#include "bench/mibench/jpeg/codec.h"

enum { kBaseline, kOptimal, kProgressive }; /* the choices of parameter `coding`, in order */

typedef struct entropy_settings {
  int quality, coding;
} entropy_settings;

/* `create` of kernels whose *self is entropy_settings, from parameters `quality` and `coding`; `destroy` is free(). */
woa_status entropy_create(const woa_param *params, size_t count, void **self, woa_error *error);

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

/* Coefficients and planes between the steps, for kernels that take all of them. */
typedef struct entropy_room {
  uint32_t rows[2], columns[2]; /* blocks of Y, and of Cb or Cr */
  int16_t *coefficients[kChannels];
  uint8_t *plane[kChannels];
} entropy_room;

/* Divides the scratch for an image of that size. WOA_EXHAUSTED: it does not suffice. */
static inline woa_status entropy_divide(const woa_firing *firing, uint32_t height, uint32_t width, entropy_room *room,
                                        woa_error *error) {
  *room = (entropy_room){.rows = {codec_blocks(height), codec_chroma_blocks(height)},
                         .columns = {codec_blocks(width), codec_chroma_blocks(width)}};
  const uint64_t y_samples = (uint64_t)room->rows[0] * room->columns[0] * kBlockSize;
  const uint64_t c_samples = (uint64_t)room->rows[1] * room->columns[1] * kBlockSize;
  const uint64_t before[kChannels + 1] = {0, y_samples, y_samples + c_samples, y_samples + 2 * c_samples};
  const uint64_t needed = before[kChannels] * (1 + sizeof(int16_t));
  if (needed > firing->scratch_bytes) {
    return woa_fail(error, WOA_EXHAUSTED, "the image needs %llu bytes of scratch, there are %llu",
                    (unsigned long long)needed, (unsigned long long)firing->scratch_bytes);
  }
  for (int k = 0; k < kChannels; ++k) {
    room->coefficients[k] = (int16_t *)(void *)firing->scratch + before[k];
    room->plane[k] = firing->scratch + before[kChannels] * sizeof(int16_t) + before[k];
  }
  return WOA_OK;
}

#endif /* WOA_BENCH_MIBENCH_JPEG_ENTROPY_H */
