#include "woa/woa_kernel.h"

namespace {

woa_status size(void*, const woa_input* ins, woa_output* outs, woa_error*) {
  outs[0].bytes = ins[0].bytes;
  return WOA_OK;
}

woa_status run(void*, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const uint64_t bytes = ins[0].bytes;
  if (const woa_status status = woa_claim(&outs[0], "data", bytes, error); status != WOA_OK) return status;
  if (bytes == 0) return WOA_OK;
  if (outs[0].data != ins[0].data) memcpy(outs[0].data, ins[0].data, bytes);
  ++outs[0].data[0];
  ++outs[0].data[bytes - 1];
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.size = size, .run = run)
