#include "bench/mibench/jpeg/codec.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = ins[0].bytes;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  if (ins[0].bytes == 0) return woa_fail(error, WOA_INVALID, "the file is empty, expected a JPEG");
  if (ins[0].bytes == 1 || ins[0].data[0] != 0xff || ins[0].data[1] != 0xd8) {
    return woa_fail(error, WOA_INVALID, "the file begins with the bytes 0x%02x 0x%02x, expected 0xff 0xd8, a JPEG",
                    ins[0].data[0], ins[0].bytes > 1 ? ins[0].data[1] : 0);
  }
  const woa_status status = woa_claim(&outs[0], "file", ins[0].bytes, error);
  if (status == WOA_OK) memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  return status;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
