/* The plain loop of plain.c. */
#ifndef WOA_MIBENCH_SHA_PLAIN_H
#define WOA_MIBENCH_SHA_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The digest of `data` by SHA-0, or by SHA-1. */
void plain_sha(const uint8_t *data, size_t bytes, int sha1, uint32_t *digest);

#ifdef __cplusplus
}
#endif
#endif
