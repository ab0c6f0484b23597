/* The tokens that stages of fine.yaml and medium.yaml send each other. Words are codes (letters.h).
 *
 *   to *check*      kind, style, capital, codes    kind `w`: a word of the text; `c`: a candidate; `g`: guess it
 *   to *near*       `w` codes | `c` forms, each its length and codes | `g` 1 if there are guesses, list
 *   to *scribe*     the line of a right word, or kind `&`, `?` or `#`, count, list
 */
#ifndef WOA_BENCH_MIBENCH_ISPELL_TOKENS_H
#define WOA_BENCH_MIBENCH_ISPELL_TOKENS_H

#include "bench/mibench/ispell/verdict.h"

enum { kAskBytes = 3 };

/* Fails unless `codes` are the letters of a word. */
static inline woa_status check_codes(const letters *l, const uint8_t *codes, uint64_t length, woa_error *error) {
  if (length < 1 || length > kLongest) {
    return woa_fail(error, WOA_INVALID, "a word has %llu letters, expected 1 to %d", (unsigned long long)length,
                    kLongest);
  }
  for (uint64_t i = 0; i < length; ++i) {
    if (codes[i] >> 1 != 0 && codes[i] >> 1 <= l->count) continue;
    return woa_fail(error, WOA_INVALID, "letter %llu of a word has the code %d, expected 2 to %u",
                    (unsigned long long)i + 1, codes[i], 2 * l->count + 1);
  }
  return WOA_OK;
}

/* Writes what is asked of *check*. */
static inline woa_status ask(woa_output *out, const char *port, char kind, written style, bool high,
                             const uint8_t *codes, uint32_t length, woa_error *error) {
  const woa_status status = woa_claim(out, port, kAskBytes + length, error);
  if (status != WOA_OK) return status;
  out->data[0] = (uint8_t)kind;
  out->data[1] = (uint8_t)style;
  out->data[2] = high;
  memcpy(out->data + kAskBytes, codes, length);
  return WOA_OK;
}

/* A token for *scribe* about a wrong word. */
static inline woa_status tell_wrong(woa_output *out, const char *port, char kind, uint32_t count, const char *list,
                                    size_t bytes, woa_error *error) {
  const woa_status status = woa_claim(out, port, 2 + bytes, error);
  if (status != WOA_OK) return status;
  out->data[0] = (uint8_t)kind;
  out->data[1] = (uint8_t)count;
  memcpy(out->data + 2, list, bytes);
  return WOA_OK;
}

/* Reads parameter `affixes` alone, for stages that need the letters; null and the reason otherwise. */
static inline affixes *load_affixes(const woa_param *params, size_t count, woa_status *status, woa_error *error) {
  const char *path = woa_param_text(params, count, "affixes");
  affixes *a = (affixes *)calloc(1, sizeof *a);
  if (a == NULL) {
    *status = woa_fail(error, WOA_EXHAUSTED, "no memory for the affixes: %zu bytes", sizeof *a);
  } else if (path == NULL) {
    *status = woa_fail(error, WOA_INVALID, "parameter 'affixes' is missing; it names the affix file of the language");
  } else {
    *status = read_affixes(path, a, error);
  }
  if (*status == WOA_OK) return a;
  free(a);
  return NULL;
}

static inline woa_status create_affixes(const woa_param *params, size_t count, void **self, woa_error *error) {
  woa_status status = WOA_OK;
  *self = load_affixes(params, count, &status, error);
  return status;
}

static inline woa_status create_dictionary(const woa_param *params, size_t count, void **self, woa_error *error) {
  woa_status status = WOA_OK;
  *self = load_dictionary(params, count, &status, error);
  return status;
}

static inline void destroy_dictionary(void *self) { free_dictionary((dictionary *)self); }

#endif /* WOA_BENCH_MIBENCH_ISPELL_TOKENS_H */
