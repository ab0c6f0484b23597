#include "woa/woa_kernel.h"

namespace {

struct Null {
  int64_t bytes = 0;
};

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  Null null;
  const woa_status status = woa_param_int(params, count, "bytes", 0, 64, &null.bytes, error);
  if (status == WOA_OK) *self = new Null(null);
  return status;
}

void destroy(void* self) { delete static_cast<Null*>(self); }

woa_status size(void* self, const woa_input*, woa_output* outs, woa_error*) {
  outs[0].bytes = static_cast<uint64_t>(static_cast<const Null*>(self)->bytes);
  return WOA_OK;
}

woa_status run(void* self, const woa_firing*, const woa_input*, woa_output* outs, woa_error* error) {
  const auto bytes = static_cast<uint64_t>(static_cast<const Null*>(self)->bytes);
  if (const woa_status status = woa_claim(&outs[0], "token", bytes, error); status != WOA_OK) return status;
  if (bytes != 0) memset(outs[0].data, 0, bytes);
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .size = size, .run = run)
