/* Tokens as bytes: arrays are cut into pieces of whole rows, and pieces are put one behind the other. */
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

/* Writes all elements of a gather one behind the other. */
static inline woa_status join_pieces(const woa_input *pieces, woa_output *out, const char *port, woa_error *error) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < pieces->count; ++k) bytes += pieces->elements[k].bytes;
  const woa_status status = woa_claim(out, port, bytes, error);
  if (status != WOA_OK) return status;
  uint8_t *to = out->data;
  for (uint32_t k = 0; k < pieces->count; ++k) {
    to = append_bytes(to, pieces->elements[k].data, pieces->elements[k].bytes);
  }
  return WOA_OK;
}

/* Pieces have whole units of `unit` rows, but for the last one. Each also has the next `halo` rows of the array. */
typedef struct cutting {
  uint64_t wanted; /* pieces; an array of fewer units has fewer */
  uint32_t unit, halo;
} cutting;

/* Cuts an array with more rows than the halo. Piece k begins at unit k * units / pieces. */
static inline woa_status cut_rows(const woa_input *array, const cutting *by, woa_output *out, const char *port,
                                  woa_error *error) {
  const uint64_t rows = array->dims[0] - by->halo, row_bytes = array->bytes / array->dims[0];
  const uint64_t units = (rows + by->unit - 1) / by->unit, pieces = units < by->wanted ? units : by->wanted;
  for (uint64_t k = 0; k < pieces; ++k) {
    const uint64_t first = k * units / pieces * by->unit, beyond = (k + 1) * units / pieces * by->unit;
    const uint64_t height = (beyond < rows ? beyond : rows) - first + by->halo;
    woa_output *piece = &out->elements[k];
    memcpy(piece->dims, array->dims, sizeof piece->dims);
    piece->dims[0] = (uint32_t)height;
    const woa_status status = woa_claim(piece, port, height * row_bytes, error);
    if (status != WOA_OK) return status;
    (void)append_bytes(piece->data, data_of(array) + first * row_bytes, piece->bytes);
  }
  out->count = (uint32_t)pieces;
  return WOA_OK;
}

#endif /* WOA_BENCH_MIBENCH_PIECES_H */
