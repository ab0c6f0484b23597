#include "bench/mibench/jpeg/codec.h"

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  int64_t component = 0;
  const woa_status status = woa_param_int(params, count, "component", 0, kChannels - 1, &component, error);
  if (status != WOA_OK) return status;
  int64_t *kept = malloc(sizeof *kept);
  if (kept == NULL) return woa_fail(error, WOA_EXHAUSTED, "no memory for the settings");
  *kept = component;
  *self = kept;
  return WOA_OK;
}

static void destroy(void *self) { free(self); }

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  codec_describe_plane(&outs[0], ins[0].dims[0], ins[0].dims[1]);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  codec_describe_plane(&outs[0], ins[0].dims[0], ins[0].dims[1]);
  const woa_status status = woa_claim(&outs[0], "plane", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  const uint16_t *steps = (const uint16_t *)(const void *)ins[1].data + *(const int64_t *)self * kBlockSize;
  codec_restore((const int16_t *)(const void *)ins[0].data, (int)ins[0].dims[0], (int)ins[0].dims[1], steps,
                outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_EXPORT const woa_kernel *woa_kernel_entry(void);
const woa_kernel *woa_kernel_entry(void) {
  static const woa_kernel kernel = {
      .abi = WOA_KERNEL_ABI, .create = create, .destroy = destroy, .size = size, .run = run};
  return &kernel;
}
