/* echo: create() fails with the value of parameter `message`, or, without one, counts how many selves are alive in the
 * integer that parameter `counter` points to. old: another kernel interface. silent: exports nothing. */
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
  static woa_kernel table;
  table.abi = WOA_KERNEL_ABI;
#ifdef TEST_KERNEL_old
  table.abi = WOA_KERNEL_ABI + 1;
#endif
  table.create = create;
  table.destroy = destroy;
  return &table;
}
#else
typedef int not_empty;
#endif
