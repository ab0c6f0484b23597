#include "bench/mibench/netpbm.h"
#include "bench/mibench/susan/susan.h"

static woa_status describe(const woa_input *file, netpbm *picture, woa_output *out, woa_error *error) {
  const woa_status status = netpbm_parse(file, 1, picture, error);
  if (status != WOA_OK) return status;
  out->dims[0] = picture->height;
  out->dims[1] = picture->width;
  out->bytes = (uint64_t)picture->width * picture->height;
  return susan_check_size(picture->width, picture->height, error);
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  netpbm picture = {0};
  return describe(&ins[0], &picture, &outs[0], error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  netpbm picture = {0};
  woa_status status = describe(&ins[0], &picture, &outs[0], error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "picture", outs[0].bytes, error);
  if (status == WOA_OK) memcpy(outs[0].data, picture.pixels, outs[0].bytes);
  return status;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
