#include "woa/woa_kernel.h"

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  const char *text = woa_param_text(params, count, "text");
  if (text == NULL) return woa_fail(error, WOA_INVALID, "parameter 'text' is missing");
  *self = strdup(text);
  return *self != NULL ? WOA_OK : woa_fail(error, WOA_EXHAUSTED, "no memory for parameter 'text'");
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const char *text = self;
  const void *data = ins[0].absent ? (const void *)text : (const void *)ins[0].data;
  const uint64_t bytes = ins[0].absent ? strlen(text) : ins[0].bytes;
  const woa_status status = woa_claim(&outs[0], "data", bytes, error);
  (void)firing;
  if (status == WOA_OK && bytes != 0) memcpy(outs[0].data, data, bytes);
  return status;
}

WOA_KERNEL_TABLE(.create = create, .destroy = free, .run = run)
