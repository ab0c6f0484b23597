/* Tokens as bytes, of which there may be none. */
#ifndef WOA_BENCH_MIBENCH_PIECES_H
#define WOA_BENCH_MIBENCH_PIECES_H

#include "woa/woa_kernel.h"

/* The data of a token. Those of no bytes may be null, a place that pointers must not move from. */
static inline const uint8_t *data_of(const woa_input *token) {
  return token->bytes != 0 ? token->data : (const uint8_t *)"";
}

/* Copies bytes, perhaps none, and returns the place behind them. Data of no bytes may be null. */
static inline uint8_t *append_bytes(uint8_t *to, const uint8_t *data, uint64_t bytes) {
  if (bytes == 0) return to;
  memcpy(to, data, bytes);
  return to + bytes;
}

#endif /* WOA_BENCH_MIBENCH_PIECES_H */
