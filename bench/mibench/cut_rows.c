/* Cuts an array into pieces of whole rows, for controllers that go on with one each. Parameters: `pieces`, the most
 * that there may be; `unit`, the rows of which each piece but the last has whole multiples; `overlap`, the rows that a
 * piece has in common with the next. */
#include "bench/mibench/kept_number.h"
#include "bench/mibench/pieces.h"

enum { kMostPieces = 16 }; /* kernel.yaml has the same */

typedef struct cutting {
  int64_t pieces, unit, overlap;
} cutting;

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  cutting by = {0};
  woa_status status = woa_param_int(params, count, "pieces", 1, kMostPieces, &by.pieces, error);
  if (status == WOA_OK) status = woa_param_int(params, count, "unit", 1, INT32_MAX, &by.unit, error);
  if (status == WOA_OK) status = woa_param_int(params, count, "overlap", 0, INT32_MAX, &by.overlap, error);
  return status == WOA_OK ? keep(&by, sizeof by, self, error) : status;
}

/* Copies rows `first` to `beyond` into a piece. */
static woa_status copy_rows(const woa_input *array, uint64_t first, uint64_t beyond, woa_output *piece,
                            woa_error *error) {
  const uint64_t row_bytes = array->bytes / array->dims[0];
  memcpy(piece->dims, array->dims, sizeof piece->dims);
  piece->dims[0] = (uint32_t)(beyond - first);
  const woa_status status = woa_claim(piece, "pieces", (beyond - first) * row_bytes, error);
  if (status == WOA_OK) append_bytes(piece->data, data_of(array) + first * row_bytes, piece->bytes);
  return status;
}

/* Piece k begins at unit k * units / pieces. */
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const cutting *by = self;
  const uint64_t overlap = (uint64_t)by->overlap, unit = (uint64_t)by->unit, wanted = (uint64_t)by->pieces;
  if (ins[0].dims[0] <= overlap) {
    return woa_fail(error, WOA_INVALID, "the array has %u rows, expected more than %llu", ins[0].dims[0],
                    (unsigned long long)overlap);
  }
  const uint64_t rows = ins[0].dims[0] - overlap, units = (rows + unit - 1) / unit;
  const uint64_t pieces = units < wanted ? units : wanted;
  for (uint64_t k = 0; k < pieces; ++k) {
    const uint64_t first = k * units / pieces * unit, beyond = (k + 1) * units / pieces * unit;
    const woa_status status =
        copy_rows(&ins[0], first, (beyond < rows ? beyond : rows) + overlap, &outs[0].elements[k], error);
    if (status != WOA_OK) return status;
  }
  outs[0].count = (uint32_t)pieces;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = create, .destroy = free, .run = run)
