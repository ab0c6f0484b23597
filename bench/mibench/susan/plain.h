/* The plain loops of plain.c. */
#ifndef WOA_MIBENCH_SUSAN_PLAIN_H
#define WOA_MIBENCH_SUSAN_PLAIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The response of every pixel; 0 at the border. */
void plain_response(const uint8_t *picture, int width, int height, int32_t *response);

/* The map before thinning: the number of the rule that found an edge, 100 elsewhere. */
void plain_direction(const uint8_t *picture, const int32_t *response, int width, int height, uint8_t *map);

#ifdef __cplusplus
}
#endif
#endif
