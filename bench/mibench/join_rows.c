/* Joins the pieces of an array of rows. Parameter `overlap`, an even number: the rows that a piece has in common with
 * the next; the first half of them comes from the former piece, the second half from the latter. */
#include "bench/mibench/kept_number.h"
#include "bench/mibench/pieces.h"

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "overlap", 0, INT32_MAX, self, error);
}

/* Sets the size of the whole from the sizes of its pieces. */
static woa_status describe(const woa_input *pieces, uint32_t overlap, woa_output *whole, woa_error *error) {
  if (pieces->count == 0) return woa_fail(error, WOA_INVALID, "there is no piece, expected at least one");
  const woa_input *first = &pieces->elements[0];
  uint64_t rows = overlap, bytes = 0;
  for (uint32_t k = 0; k < pieces->count; ++k) {
    const woa_input *piece = &pieces->elements[k];
    if (memcmp(piece->dims + 1, first->dims + 1, sizeof piece->dims - sizeof piece->dims[0]) != 0) {
      return woa_fail(error, WOA_INVALID, "piece %u has rows of %u x %u, expected %u x %u, as the first has", k,
                      piece->dims[1], piece->dims[2], first->dims[1], first->dims[2]);
    }
    if (piece->dims[0] <= overlap) {
      return woa_fail(error, WOA_INVALID, "piece %u has %u rows, expected more than %u", k, piece->dims[0], overlap);
    }
    rows += piece->dims[0] - overlap;
    bytes += piece->bytes - piece->bytes / piece->dims[0] * overlap;
  }
  memcpy(whole->dims, first->dims, sizeof whole->dims);
  whole->dims[0] = (uint32_t)rows;
  return woa_claim(whole, "array", bytes + first->bytes / first->dims[0] * overlap, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const uint32_t overlap = (uint32_t)kept_number(self);
  const woa_status status = describe(&ins[0], overlap, &outs[0], error);
  if (status != WOA_OK) return status;
  uint8_t *to = outs[0].data;
  for (uint32_t k = 0; k < ins[0].count; ++k) {
    const woa_input *piece = &ins[0].elements[k];
    const uint64_t half = piece->bytes / piece->dims[0] * (overlap / 2);
    const uint64_t skipped = k == 0 ? 0 : half, left = k + 1 == ins[0].count ? 0 : half;
    to = append_bytes(to, data_of(piece) + skipped, piece->bytes - skipped - left);
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = create, .destroy = free, .run = run)
