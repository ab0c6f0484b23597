#include <string.h>

#include "bench/mibench/susan/susan.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)susan_size_as_input(self, ins, outs, error);
  return susan_check_size(ins[0].dims[1], ins[0].dims[0], error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const int width = (int)ins[0].dims[1], height = (int)ins[0].dims[0];
  const uint64_t pixels = ins[0].bytes, needed = pixels * (sizeof(int32_t) + 1);
  woa_status status = susan_check_size(ins[0].dims[1], ins[0].dims[0], error);
  if (status == WOA_OK) status = susan_claim(&outs[0], "picture", &ins[0], 1, error);
  if (status != WOA_OK) return status;
  if (needed > firing->scratch_bytes) {
    return woa_fail(error, WOA_EXHAUSTED, "a picture of %d x %d pixels needs %llu bytes of scratch, there are %llu",
                    width, height, (unsigned long long)needed, (unsigned long long)firing->scratch_bytes);
  }
  int32_t *response = (int32_t *)(void *)firing->scratch;
  uint8_t *map = firing->scratch + pixels * sizeof(int32_t);
  susan_respond(ins[0].data, width, height, self, response);
  susan_direct(ins[0].data, response, width, height, self, map);
  status = susan_thin(response, width, height, map, error);
  if (status != WOA_OK) return status;
  memcpy(outs[0].data, ins[0].data, pixels);
  susan_draw(map, width, height, outs[0].data);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.create = susan_create_table, .destroy = free, .size = size, .run = run)
