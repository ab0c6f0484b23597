#include "woa/woa_kernel.h"

namespace {

woa_status run(void*, const woa_firing* firing, const woa_input* ins, woa_output* outs, woa_error* error) {
  auto& count = *static_cast<uint64_t*>(firing->state);
  char text[24];
  const auto digits = static_cast<uint64_t>(snprintf(text, sizeof text, " %llu", (unsigned long long)count));
  const woa_status status = woa_claim(&outs[0], "data", ins[0].bytes + digits, error);
  if (status != WOA_OK) return status;
  if (ins[0].bytes != 0) memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  memcpy(outs[0].data + ins[0].bytes, text, digits);
  ++count;
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(uint64_t))
