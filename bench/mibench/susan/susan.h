/* The edge detector SUSAN (smallest univalue segment assimilating nucleus): the steps that its kernels share.
 *
 * A picture has a byte a pixel, row by row. `response` says how unlike its surroundings a pixel is. The `map` has a
 * number below kOn for each pixel of an edge, kOff for all others. Python in the tests defines the same steps again. */
#ifndef WOA_BENCH_MIBENCH_SUSAN_SUSAN_H
#define WOA_BENCH_MIBENCH_SUSAN_SUSAN_H

#include <stdint.h>
#include <stdlib.h>

#include "woa/woa_kernel.h"

enum {
  kRadius = 3, /* of the mask, and so the rows and columns at each border that get no response */
  kMask = 2 * kRadius + 1,
  kGeometric = 2650, /* three quarters of the largest sum over the mask: no edge above it */
  kOn = 8,
  kOff = 100,
  kDifferences = 511 /* of two bytes */
};

/* Half the width of the mask's rows: 37 pixels. */
static const int kHalfWidth[kMask] = {1, 2, 3, 3, 3, 2, 1};

/* Fails for a picture that the mask does not fit in. */
static inline woa_status susan_check_size(uint32_t width, uint32_t height, woa_error *error) {
  if (width >= kMask && height >= kMask) return WOA_OK;
  return woa_fail(error, WOA_INVALID,
                  "the picture has %u x %u pixels, expected at least %d x %d, the mask's size; give a larger one",
                  width, height, kMask, kMask);
}

/* Fails if two inputs of one picture have different sizes. */
static inline woa_status susan_check_same(const woa_input *a, const char *name_a, const woa_input *b,
                                          const char *name_b, woa_error *error) {
  if (a->dims[0] == b->dims[0] && a->dims[1] == b->dims[1]) return WOA_OK;
  return woa_fail(error, WOA_INVALID, "'%s' has %u x %u pixels but '%s' %u x %u, expected the same", name_a, a->dims[1],
                  a->dims[0], name_b, b->dims[1], b->dims[0]);
}

/* `size` of kernels whose output is as large as their first input. */
static inline woa_status susan_size_as_input(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].dims[0] = ins[0].dims[0];
  outs[0].dims[1] = ins[0].dims[1];
  outs[0].bytes = ins[0].bytes;
  return WOA_OK;
}

/* Announces a picture of `like`'s size in `out`. */
static inline woa_status susan_claim(woa_output *out, const char *port, const woa_input *like, uint64_t pixel_bytes,
                                     woa_error *error) {
  out->dims[0] = like->dims[0];
  out->dims[1] = like->dims[1];
  return woa_claim(out, port, (uint64_t)like->dims[0] * like->dims[1] * pixel_bytes, error);
}

/* `create` of kernels whose *self is the table of how alike two pixels are: for every difference, at
 * [kDifferences / 2 + difference]. `destroy` is free(). */
woa_status susan_create_table(const woa_param *params, size_t count, void **self, woa_error *error);

void susan_respond(const uint8_t *picture, int width, int height, const uint8_t table[kDifferences], int32_t *response);
void susan_direct(const uint8_t *picture, const int32_t *response, int width, int height,
                  const uint8_t table[kDifferences], uint8_t *map);
/* Fails if the map has not settled after a number of steps that no picture is known to need. */
woa_status susan_thin(const int32_t *response, int width, int height, uint8_t *map, woa_error *error);
void susan_draw(const uint8_t *map, int width, int height, uint8_t *picture);

#endif /* WOA_BENCH_MIBENCH_SUSAN_SUSAN_H */
