#include "bench/mibench/netpbm.h"
#include "bench/mibench/susan/susan.h"

static woa_status parse(const woa_input *file, netpbm *picture, woa_error *error) {
  const woa_status status = netpbm_parse(file, 1, picture, error);
  return status == WOA_OK ? susan_check_size(picture->width, picture->height, error) : status;
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  netpbm picture = {0};
  const woa_status status = parse(&ins[0], &picture, error);
  if (status != WOA_OK) return status;
  outs[0].dims[0] = picture.height;
  outs[0].dims[1] = picture.width;
  outs[0].bytes = (uint64_t)picture.width * picture.height;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  netpbm picture = {0};
  woa_status status = parse(&ins[0], &picture, error);
  if (status != WOA_OK) return status;
  outs[0].dims[0] = picture.height;
  outs[0].dims[1] = picture.width;
  const uint64_t bytes = (uint64_t)picture.width * picture.height;
  status = woa_claim(&outs[0], "picture", bytes, error);
  if (status == WOA_OK) memcpy(outs[0].data, picture.pixels, bytes);
  return status;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
