/* Kernels whose *self is a few numbers: `destroy` is free(). */
#ifndef WOA_BENCH_MIBENCH_KEPT_NUMBER_H
#define WOA_BENCH_MIBENCH_KEPT_NUMBER_H

#include <stdlib.h>

#include "woa/woa_kernel.h"

/* Keeps a copy. WOA_EXHAUSTED: there is no memory. */
static inline woa_status keep(const void *value, size_t bytes, void **self, woa_error *error) {
  void *kept = malloc(bytes);
  if (kept == NULL) return woa_fail(error, WOA_EXHAUSTED, "no memory for %zu bytes", bytes);
  *self = memcpy(kept, value, bytes);
  return WOA_OK;
}

static inline woa_status keep_number(int64_t value, void **self, woa_error *error) {
  return keep(&value, sizeof value, self, error);
}

/* Keeps a parameter between two bounds; otherwise as woa_param_int(). */
static inline woa_status keep_param(const woa_param *params, size_t count, const char *name, int64_t least,
                                    int64_t most, void **self, woa_error *error) {
  int64_t value = 0;
  const woa_status status = woa_param_int(params, count, name, least, most, &value, error);
  return status == WOA_OK ? keep_number(value, self, error) : status;
}

/* A parameter with two possible values: 0 for the first, 1 for the second. WOA_INVALID: it has another. */
static inline woa_status param_choice(const woa_param *params, size_t count, const char *name, const char *first,
                                      const char *second, int *choice, woa_error *error) {
  const char *text = woa_param_text(params, count, name);
  *choice = text != NULL && strcmp(text, second) == 0;
  if (*choice || (text != NULL && strcmp(text, first) == 0)) return WOA_OK;
  return woa_fail(error, WOA_INVALID, "parameter '%s' is '%.32s', expected %s or %s", name, text != NULL ? text : "",
                  first, second);
}
static inline woa_status keep_choice(const woa_param *params, size_t count, const char *name, const char *first,
                                     const char *second, void **self, woa_error *error) {
  int choice = 0;
  const woa_status status = param_choice(params, count, name, first, second, &choice, error);
  return status == WOA_OK ? keep_number(choice, self, error) : status;
}

static inline uint64_t kept_number(const void *self) { return (uint64_t) * (const int64_t *)self; }

#endif
