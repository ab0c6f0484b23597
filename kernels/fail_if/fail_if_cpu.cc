#include <chrono>
#include <thread>

#include "woa/woa_kernel.h"

namespace {

struct FailIf {
  int64_t byte = -1, delay_ms = 0;
};

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  FailIf made;
  woa_status status = woa_param_int(params, count, "byte", -1, 255, &made.byte, error);
  if (status == WOA_OK) status = woa_param_int(params, count, "delay_ms", 0, 60'000, &made.delay_ms, error);
  if (status == WOA_OK) *self = new FailIf(made);
  return status;
}

void destroy(void* self) { delete static_cast<FailIf*>(self); }

woa_status run(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const auto& [byte, delay_ms] = *static_cast<const FailIf*>(self);
  const woa_input& in = ins[0];
  if (delay_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
  if (in.bytes != 0 && in.data[0] == byte) {
    return woa_fail(error, WOA_KERNEL_FAILED, "the first byte is %lld, at which this stage fails", (long long)byte);
  }
  if (const woa_status status = woa_claim(&outs[0], "data", in.bytes, error); status != WOA_OK) return status;
  if (in.bytes != 0) memcpy(outs[0].data, in.data, in.bytes);
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .run = run)
