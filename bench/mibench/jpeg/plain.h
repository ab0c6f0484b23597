/* The plain loops of plain.c. Entropy coding is libjpeg's on both sides and has none. */
#ifndef WOA_MIBENCH_JPEG_PLAIN_H
#define WOA_MIBENCH_JPEG_PLAIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sides are multiples of 16. */
void plain_convert(const uint8_t *image, int height, int width, uint8_t *y, uint8_t *cb, uint8_t *cr);
void plain_transform(const uint8_t *plane, int height, int width, const uint16_t *steps, int16_t *coefficients);
void plain_restore(const int16_t *coefficients, int height, int width, const uint16_t *steps, uint8_t *plane);
void plain_paint(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int height, int width, uint8_t *image);

#ifdef __cplusplus
}
#endif
#endif
