#include "woa/woa_kernel.h"

namespace {

enum class By { kFirstByte, kSize };

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  const char* by = woa_param_text(params, count, "by");
  if (by != nullptr && strcmp(by, "first_byte") == 0) {
    *self = new By(By::kFirstByte);
  } else if (by != nullptr && strcmp(by, "size") == 0) {
    *self = new By(By::kSize);
  } else {
    return woa_fail(error, WOA_INVALID, "parameter 'by' is '%.32s', expected first_byte or size",
                    by != nullptr ? by : "missing");
  }
  return WOA_OK;
}

void destroy(void* self) { delete static_cast<By*>(self); }

bool is_odd(By by, const woa_input& in) {
  if (by == By::kSize) return in.bytes % 2 != 0;
  return in.bytes != 0 && in.data[0] % 2 != 0;
}

woa_status run(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const woa_input& in = ins[0];
  const bool odd = is_odd(*static_cast<const By*>(self), in);
  woa_output& out = outs[odd ? 1 : 0];
  if (const woa_status status = woa_claim(&out, odd ? "odd" : "even", in.bytes, error); status != WOA_OK) return status;
  if (in.bytes != 0) memcpy(out.data, in.data, in.bytes);
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .run = run)
