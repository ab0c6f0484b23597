/* A piece ends behind a newline, or at the end of the text. Pieces of longer texts have more lines, so that there are
 * at most kMostPieces. An empty text has no piece. */
#include "bench/mibench/kept_number.h"
#include "bench/mibench/pieces.h"

enum { kMostPieces = 64 }; /* kernel.yaml has the same */

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "lines", 1, 1000000, self, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const uint8_t *at = data_of(&ins[0]), *const end = at + ins[0].bytes;
  uint64_t lines = 0, each = kept_number(self);
  (void)firing;
  for (uint64_t i = 0; i < ins[0].bytes; ++i) lines += at[i] == '\n' || i + 1 == ins[0].bytes;
  if (each * kMostPieces < lines) each = (lines + kMostPieces - 1) / kMostPieces;
  outs[0].count = 0;
  while (at < end) {
    const uint8_t *stop = at;
    for (uint64_t i = 0; i < each && stop < end; ++i) {
      const uint8_t *newline = memchr(stop, '\n', (size_t)(end - stop));
      stop = newline != NULL ? newline + 1 : end;
    }
    woa_output *piece = &outs[0].elements[outs[0].count++];
    const woa_status status = woa_claim(piece, "lines", (uint64_t)(stop - at), error);
    if (status != WOA_OK) return status;
    memcpy(piece->data, at, (size_t)(stop - at));
    at = stop;
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = create, .destroy = free, .run = run)
