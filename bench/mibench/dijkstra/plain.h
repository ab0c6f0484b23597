/* The plain loop of plain.c. */
#ifndef WOA_MIBENCH_DIJKSTRA_PLAIN_H
#define WOA_MIBENCH_DIJKSTRA_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the shortest paths from `source`: their lengths, and the node before each. Returns the nodes looked at. */
int64_t plain_search(const int32_t *matrix, int32_t source, int32_t *length, int32_t *from);

#ifdef __cplusplus
}
#endif
#endif
