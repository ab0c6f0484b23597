/* JPEG, 4:2:0 with 8 bits a sample: the steps that the kernels share. Entropy coding alone is libjpeg's.
 *
 * An image has three bytes a pixel (red, green, blue). A plane holds a component's samples, in whole blocks of 8 x 8:
 * Y has a sample for each pixel, Cb and Cr one for each 2 x 2. Coefficients have 64 numbers a block, in natural order
 * (row by row, low frequencies first). All results equal those of libjpeg with the accurate integer method. */
#ifndef WOA_BENCH_MIBENCH_JPEG_CODEC_H
#define WOA_BENCH_MIBENCH_JPEG_CODEC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "woa/woa_kernel.h"

enum {
  kBlock = 8,
  kBlockSize = 64,
  kUnit = 16, /* sides of the pixels that blocks of all components cover together */
  kChannels = 3,
  kCentre = 128 /* of a sample */
};

/* Numbers of the cosine transform: 13 binary places, and 2 more that samples keep between the passes. */
enum { kPlaces = 13, kKeptPlaces = 2 };
enum {
  kCos0_298 = 2446,
  kCos0_390 = 3196,
  kCos0_541 = 4433,
  kCos0_765 = 6270,
  kCos0_899 = 7373,
  kCos1_175 = 9633,
  kCos1_501 = 12299,
  kCos1_847 = 15137,
  kCos1_961 = 16069,
  kCos2_053 = 16819,
  kCos2_562 = 20995,
  kCos3_072 = 25172
};

typedef struct planes {
  uint8_t *y, *cb, *cr;
} planes;

typedef struct const_planes {
  const uint8_t *y, *cb, *cr;
} const_planes;

/* Blocks that `pixels` need, in Y or in the others. */
static inline uint32_t codec_blocks(uint32_t pixels) { return pixels / kBlock + (pixels % kBlock != 0); }
static inline uint32_t codec_chroma_blocks(uint32_t pixels) { return pixels / kUnit + (pixels % kUnit != 0); }

/* The tables of the standard's Annex K, scaled by a quality of 1 to 100. */
enum { kLuminance = 0, kChrominance = 1 };
void codec_make_steps(int table, int quality, uint16_t steps[kBlockSize]);

/* Encoder. */
void codec_convert(const uint8_t *image, int height, int width, const planes *out);
void codec_transform(const uint8_t *plane, int rows, int columns, const uint16_t steps[kBlockSize], int16_t *out);

/* Decoder. */
void codec_restore(const int16_t *coefficients, int rows, int columns, const uint16_t steps[kBlockSize],
                   uint8_t *plane);
void codec_paint(const const_planes *in, int height, int width, uint8_t *image);

static inline woa_status codec_check_image(const woa_input *image, woa_error *error) {
  if (image->dims[0] > 0 && image->dims[1] > 0) return WOA_OK;
  return woa_fail(error, WOA_INVALID, "the image has %u x %u pixels, expected at least 1 x 1", image->dims[1],
                  image->dims[0]);
}

/* Sets the size of a plane of `rows` x `columns` blocks. */
static inline void codec_describe_plane(woa_output *plane, uint32_t rows, uint32_t columns) {
  plane->dims[0] = rows * kBlock;
  plane->dims[1] = columns * kBlock;
  plane->bytes = (uint64_t)rows * columns * kBlockSize;
}

/* Sets the size of the coefficients of `rows` x `columns` blocks. */
static inline void codec_describe_blocks(woa_output *coefficients, uint32_t rows, uint32_t columns) {
  coefficients->dims[0] = rows;
  coefficients->dims[1] = columns;
  coefficients->dims[2] = kBlockSize;
  coefficients->bytes = (uint64_t)rows * columns * kBlockSize * sizeof(int16_t);
}

/* Fails unless the component called `name` has as many blocks as an image of this size. */
static inline woa_status codec_check_blocks(const char *name, uint32_t rows, uint32_t columns, uint32_t expected_rows,
                                            uint32_t expected_columns, woa_error *error) {
  if (rows == expected_rows && columns == expected_columns) return WOA_OK;
  return woa_fail(error, WOA_INVALID, "'%s' has %u x %u blocks, expected %u x %u for the size in 'frame'", name,
                  columns, rows, expected_columns, expected_rows);
}

#endif /* WOA_BENCH_MIBENCH_JPEG_CODEC_H */
