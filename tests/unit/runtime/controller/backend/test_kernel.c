/* echo: create() fails with the value of parameter `message`, or, without one, counts how many selves are alive in the
 * integer that parameter `counter` points to; its table has no table_bytes, as those of older headers. old: another
 * kernel interface. newer: a table with a field behind those of this header. silent: exports nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "woa/woa_kernel.h"

#ifndef TEST_KERNEL_silent
static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(params[i].name, "message") == 0) {
      snprintf(error->message, sizeof error->message, "no such thing as %s, really not %s", params[i].value,
               params[i].value);
      return WOA_UNAUTHENTIC;
    }
    if (strcmp(params[i].name, "counter") == 0) {
      uintptr_t address = 0;
      if (sscanf(params[i].value, "%" SCNuPTR, &address) != 1) return WOA_INVALID;
      *self = (void *)address;
      ++*(int *)*self;
    }
  }
  return WOA_OK;
}

static void destroy(void *self) { --*(int *)self; }

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static struct {
    woa_kernel known;
    uint64_t later;
  } table;
  table.known.abi = WOA_KERNEL_ABI;
#if defined(TEST_KERNEL_old)
  table.known.abi = WOA_KERNEL_ABI + 1;
#elif defined(TEST_KERNEL_newer)
  table.known.table_bytes = sizeof table;
  table.later = 1;
#endif
  table.known.create = create;
  table.known.destroy = destroy;
  return &table.known;
}
#else
typedef int not_empty;
#endif
