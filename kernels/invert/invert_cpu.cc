#include "woa/woa_kernel.h"

namespace {

woa_status size(void*, const woa_input* ins, woa_output* outs, woa_error*) {
  outs[0].bytes = ins[0].bytes;
  outs[0].dims[0] = ins[0].dims[0];
  return WOA_OK;
}

woa_status run(void*, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  if (const woa_status status = woa_claim(&outs[0], "data", ins[0].bytes, error); status != WOA_OK) return status;
  outs[0].dims[0] = ins[0].dims[0];
  const uint64_t bytes = ins[0].bytes;
  const uint8_t* const in = ins[0].data;
  uint8_t* const out = outs[0].data;  // of the loop's own: a byte may alias the structures
  for (uint64_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(~in[i]);
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.size = size, .run = run)
