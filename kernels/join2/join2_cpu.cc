#include "woa/woa_kernel.h"

namespace {

woa_status size(void*, const woa_input* ins, woa_output* outs, woa_error*) {
  outs[0].bytes = ins[0].bytes + ins[1].bytes;
  return WOA_OK;
}

woa_status run(void*, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const woa_status status = woa_claim(&outs[0], "data", ins[0].bytes + ins[1].bytes, error);
  if (status != WOA_OK) return status;
  if (ins[0].bytes != 0) memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  if (ins[1].bytes != 0) memcpy(outs[0].data + ins[0].bytes, ins[1].data, ins[1].bytes);
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.size = size, .run = run)
