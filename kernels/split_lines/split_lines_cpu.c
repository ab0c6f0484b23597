#include "woa/woa_kernel.h"

enum { kMaxLines = 256 }; /* kernel.yaml has the same */

/* Lines from `next` on; the last one may lack its end. */
static uint64_t count_lines(const uint8_t *next, const uint8_t *end) {
  uint64_t lines = 0;
  for (; next < end; ++lines) {
    const uint8_t *const stop = memchr(next, '\n', (size_t)(end - next));
    next = stop != NULL ? stop + 1 : end;
  }
  return lines;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const uint8_t *next = ins[0].data;
  const uint8_t *const end = next + ins[0].bytes;
  (void)self, (void)firing;
  while (ins[0].bytes != 0 && next < end) {
    const uint8_t *const stop = memchr(next, '\n', (size_t)(end - next));
    const uint64_t bytes = (uint64_t)((stop != NULL ? stop : end) - next);
    woa_status status;
    if (outs[0].count == kMaxLines)
      return woa_fail(
          error, WOA_TOO_LARGE,
          "the text has %llu lines, expected at most %d; `mkdir PARTS && split -l %d FILE PARTS/` cuts a file, "
          "and `--in NAME=PARTS` takes each part as an instance",
          (unsigned long long)(kMaxLines + count_lines(next, end)), kMaxLines, kMaxLines);
    status = woa_claim(&outs[0].elements[outs[0].count], "line", bytes, error);
    if (status != WOA_OK) return status;
    if (bytes != 0) memcpy(outs[0].elements[outs[0].count].data, next, bytes);
    ++outs[0].count;
    next += bytes + 1;
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.run = run)
