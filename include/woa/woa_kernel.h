/* The kernel ABI: what a kernel's shared library exports and what the runtime gives it. C11 and C++.
 *
 * A kernel is one function table. Its library ends with one line that names the fields that are not null or 0, in the
 * order of woa_kernel, and makes the only entry point, woa_kernel_entry():
 *
 *     WOA_KERNEL_TABLE(.size = size, .run = run)
 *
 * The same table serves a kernel shipped with the runtime and one that a user names in a graph. Its ports, parameters
 * and variants stand in kernel.yaml beside it (docs/kernels.md). Port numbers below are positions in that file.
 *
 * Life of a kernel, per stage that uses it: create -> any number of { size -> run } -> destroy.
 *
 * Threads: create and destroy are called by one thread. size and run may be called by several threads at once, never
 * twice at once for the same per-instance state.
 *
 * Memory: the runtime owns every input and output buffer. Inputs are read-only and shared with other consumers. Outputs
 * lie in the consumer's memory already: writing them is the send, so a kernel writes each byte once and in place.
 * An output that kernel.yaml declares `in_place: INPUT` may be that input's own memory (data == ins[i].data), if nobody
 * else reads it: such a kernel reads each byte before it writes it, and writes no more bytes than the input has.
 */
#ifndef WOA_KERNEL_H
#define WOA_KERNEL_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WOA_KERNEL_ABI 2u
#define WOA_MAX_RANK 4u
#define WOA_KERNEL_EXPORT __attribute__((visibility("default")))

/* Numbers equal woa::Code and are never reused; choose by what the user should do next. A kernel returns one of the
 * first group. The others are answers of the library (woa.h). */
typedef enum woa_status {
  WOA_OK = 0,
  WOA_INVALID = 1,     /* the input data or a parameter is wrong */
  WOA_UNSUPPORTED = 3, /* a valid input of a form that this kernel does not handle */
  WOA_UNAVAILABLE = 4, /* a resource outside is missing (a key file) */
  WOA_EXHAUSTED = 5,   /* more memory was needed than `scratch` declares */
  WOA_KERNEL_FAILED = 10,
  WOA_TOO_LARGE = 11,   /* the result exceeds the output port's declared bound */
  WOA_UNAUTHENTIC = 13, /* authentication failed */

  WOA_NOT_FOUND = 2,         /* name something that exists */
  WOA_CANCELLED = 6,         /* it was stopped on purpose */
  WOA_DEADLINE_EXCEEDED = 7, /* give more time, or find the slow stage */
  WOA_DATA_LOSS = 8,         /* a packet was lost, repeated or damaged: run again */
  WOA_PEER_LOST = 9,         /* a process died: read its log, run again */
  WOA_LOOP_LIMIT = 12,       /* raise the loop's max, or mend the kernel */
  WOA_BROKEN_CONTRACT = 14,  /* the kernel broke its kernel.yaml: mend it */
  WOA_INTERNAL = 15,         /* report a bug of the library */
  WOA_BACK_PRESSURED = 64,   /* no failure: the window is full; woa_run_work(), then try again */
  WOA_TIMED_OUT = 65         /* no failure: the given time passed first */
} woa_status;

/* The reason of a failure, for the user: what was found, what was expected. Zero-terminated, cut to fit. */
typedef struct woa_error {
  char message[192];
} woa_error;

/* One parameter, as text: what the graph says or kernel.yaml's default. A file is a path that can be opened. */
typedef struct woa_param {
  const char *name;
  const char *value;
} woa_param;

/* One token. `data` follows the payload's dimensions and is aligned to 64 bytes; dims[0..rank) are all dimensions of
 * the port, fixed ones included; for type `bytes` rank is 1 and dims[0] == bytes. `data` may be null if bytes is 0. */
typedef struct woa_input {
  const uint8_t *data;
  uint64_t bytes;
  uint32_t rank;
  uint32_t dims[WOA_MAX_RANK];
  uint32_t absent; /* port declared `optional`: 1 if its writer wrote nothing; all else is 0 then */
  /* Used instead of the above by a port that kernel.yaml declares `gather`: all tokens of the scatter, in order; count
   * may be 0. Some may be absent. */
  uint32_t count;
  const struct woa_input *elements;
} woa_input;

/* One output port. The runtime sets data and capacity (bytes reserved); the kernel sets dims, bytes (trim: at most
 * capacity) and written. Exactly one port of a one_of group must be written, and every other port that is not declared
 * `optional`. For `bytes` only `bytes` counts. */
typedef struct woa_output {
  uint8_t *data;
  uint64_t capacity;
  uint64_t bytes;
  uint32_t dims[WOA_MAX_RANK];
  uint32_t written; /* 0 or 1; 0 on entry */
  /* Used instead of the above by a port that kernel.yaml declares `many`: as many outputs as its max says, each with
   * its own memory. The kernel writes the first `count` of them, perhaps none, and sets count (0 on entry). */
  uint32_t count;
  struct woa_output *elements;
} woa_output;

/* Resources of a firing beside its tokens. */
typedef struct woa_firing {
  uint64_t instance;
  uint64_t tag;
  void *state;      /* stateful kernels: state_bytes, zeroed before first use, per instance or per run; others: null */
  uint8_t *scratch; /* `scratch` bytes of kernel.yaml, 64-byte aligned, contents undefined; null if 0 */
  uint64_t scratch_bytes;
} woa_firing;

typedef struct woa_kernel {
  uint32_t abi; /* WOA_KERNEL_ABI */
  /* sizeof(woa_kernel) where the kernel was compiled. Later headers add fields at the end and keep the ABI: the runtime
   * takes the fields that a shorter table does not have for null or 0, and refuses a longer table if a field that it
   * does not know is neither. 0, as in tables of headers without this field: the last field is state_bytes. */
  uint32_t table_bytes;
  /* Parses parameters, opens files. *self is handed to the other functions; may stay null. Null if nothing to do.
   * On entry *self is null or, for functions that a program registered, what it gave with them (woa.h). */
  woa_status (*create)(const woa_param *params, size_t count, void **self, woa_error *error);
  void (*destroy)(void *self); /* null if nothing to do */
  /* Predicts outputs from inputs: for each port sets bytes (an upper bound) and dims if known. Null: the port's bound
   * holds. Required for opencl, cuda and rtl variants, whose launch takes the output's dims from here. Must not touch
   * outs[i].data. */
  woa_status (*size)(void *self, const woa_input *ins, woa_output *outs, woa_error *error);
  /* The cpu variant: reads ins, writes outs. A status other than WOA_OK poisons every output. Null if there is no cpu
   * variant. */
  woa_status (*run)(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error);
  /* Called once when an instance retires (or, for `stateful: run`, when the run ends) on its state, before the memory
   * goes. Null if there is nothing to release. */
  void (*retire)(void *self, void *state);
  uint64_t state_bytes; /* size of one state, 0 if the kernel is pure */
} woa_kernel;

typedef const woa_kernel *(*woa_kernel_entry_fn)(void);
#define WOA_KERNEL_ENTRY "woa_kernel_entry"

/* The first fields of a table: `static const woa_kernel shout = {WOA_KERNEL_HEAD, .run = shout};`. */
#define WOA_KERNEL_HEAD .abi = WOA_KERNEL_ABI, .table_bytes = sizeof(woa_kernel)

#ifdef __cplusplus
#define WOA_KERNEL_LINKAGE extern "C"
#else
#define WOA_KERNEL_LINKAGE
#endif

/* The library's table and entry point, outside of every namespace and without a semicolon. No warning in C, nor in C++
 * from 11 on: compilers know names of fields longer than the standard does, and GCC misses the other fields. */
/* clang-format off */
#define WOA_KERNEL_TABLE(...)                                                     \
  WOA_KERNEL_LINKAGE WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);  \
  WOA_KERNEL_LINKAGE const woa_kernel *woa_kernel_entry(void) {                   \
    _Pragma("GCC diagnostic push")                                                \
    _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")            \
    __extension__ static const woa_kernel table = {WOA_KERNEL_HEAD, __VA_ARGS__}; \
    _Pragma("GCC diagnostic pop")                                                 \
    return &table;                                                                \
  }
/* clang-format on */

/* C and C++ warn about different things, so casts and null differ. Undefined again below. */
#ifdef __cplusplus
#define WOA_CAST_(type, value) static_cast<type>(value)
#define WOA_NULL_ nullptr
#else
#define WOA_CAST_(type, value) ((type)(value))
#define WOA_NULL_ NULL
#endif

/* Helpers. They stand in this header so that a kernel needs no library of the runtime; no kernel needs to use them. */

/* Writes why, as printf does, and returns `status`: `return woa_fail(error, WOA_INVALID, "...")`. */
__attribute__((format(printf, 3, 4))) static inline woa_status woa_fail(woa_error *error, woa_status status,
                                                                        const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(error->message, sizeof error->message, format, values);
  va_end(values);
  return status;
}

/* Announces `bytes` in output `port`. WOA_TOO_LARGE, with both sizes, if less is reserved. */
static inline woa_status woa_claim(woa_output *out, const char *port, uint64_t bytes, woa_error *error) {
  if (bytes > out->capacity) {
    woa_fail(error, WOA_TOO_LARGE,
             "output '%s' needs %llu bytes, its bound is %llu; set `max: {%s: %llu}` at this stage of the graph", port,
             WOA_CAST_(unsigned long long, bytes), WOA_CAST_(unsigned long long, out->capacity), port,
             WOA_CAST_(unsigned long long, bytes));
    return WOA_TOO_LARGE; /* a constant: compilers cannot see what a function of any number of arguments returns */
  }
  out->bytes = bytes;
  out->written = 1;
  return WOA_OK;
}

/* The text of a parameter; null if it was not given. */
static inline const char *woa_param_text(const woa_param *params, size_t count, const char *name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(params[i].name, name) == 0) return params[i].value;
  }
  return WOA_NULL_;
}

/* A parameter of type int. WOA_INVALID if it is missing, not a decimal number, or outside min..max. */
static inline woa_status woa_param_int(const woa_param *params, size_t count, const char *name, int64_t min,
                                       int64_t max, int64_t *value, woa_error *error) {
  const char *text = woa_param_text(params, count, name);
  char *end = WOA_NULL_;
  long long number = 0;
  if (text == WOA_NULL_) return woa_fail(error, WOA_INVALID, "parameter '%s' is missing", name);
  errno = 0;
  number = strtoll(text, &end, 10);
  if (*text <= ' ' || *end != '\0' || errno != 0 || number < min || number > max) {
    return woa_fail(error, WOA_INVALID, "parameter '%s' is '%.32s', expected a whole number from %lld to %lld", name,
                    text, WOA_CAST_(long long, min), WOA_CAST_(long long, max));
  }
  *value = number;
  return WOA_OK;
}

#undef WOA_CAST_
#undef WOA_NULL_

#ifdef __cplusplus
}
#endif
#endif /* WOA_KERNEL_H */
