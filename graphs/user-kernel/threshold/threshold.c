/* A kernel outside the runtime's tree: everything that it needs stands in this one header. */
#include "woa/woa_kernel.h"

/* Called once per stage that uses the kernel. What *self points to comes back in every other call. */
static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  int64_t level = 0;
  woa_status status = woa_param_int(params, count, "level", 0, 255, &level, error);
  if (status != WOA_OK) return status;
  uint8_t *made = malloc(sizeof *made);
  if (made == NULL) return woa_fail(error, WOA_EXHAUSTED, "no memory for the level");
  *made = (uint8_t)level;
  *self = made;
  return WOA_OK;
}

static void destroy(void *self) { free(self); }

/* How large the output will be, so that just this much is reserved where the next stage runs. */
static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = ins[0].bytes;
  return WOA_OK;
}

/* One firing. outs[0].data is the next stage's memory already: writing it is sending it. */
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  const uint8_t level = *(const uint8_t *)self; /* no wider than what it is compared with: vectors hold more then */
  woa_status status = woa_claim(&outs[0], "data", ins[0].bytes, error);
  if (status != WOA_OK) return status;
  /* In locals: a byte that is written might be one of the structures', so the compiler would read them for each byte.
   */
  const uint64_t bytes = ins[0].bytes;
  const uint8_t *in = ins[0].data;
  uint8_t *out = outs[0].data;
  for (uint64_t i = 0; i < bytes; ++i) out[i] = in[i] >= level ? 255 : 0;
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .size = size, .run = run)
