#include "woa/woa_kernel.h"

namespace {

// The state of one instance. Its first token sets the number of sums.
struct State {
  uint64_t* sums;
  uint32_t count;
  uint32_t started;
};

woa_status start(State& state, uint32_t count, woa_error* error) {
  if (count != 0) state.sums = static_cast<uint64_t*>(calloc(count, sizeof *state.sums));
  if (count != 0 && state.sums == nullptr) return woa_fail(error, WOA_EXHAUSTED, "no memory for %u sums", count);
  state.count = count;
  state.started = 1;
  return WOA_OK;
}

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  int64_t until = 0;
  if (const woa_status status = woa_param_int(params, count, "until", INT64_MIN, INT64_MAX, &until, error);
      status != WOA_OK)
    return status;
  *self = new int64_t(until);
  return WOA_OK;
}

void destroy(void* self) { delete static_cast<int64_t*>(self); }

woa_status run(void* self, const woa_firing* firing, const woa_input* ins, woa_output* outs, woa_error* error) {
  auto& state = *static_cast<State*>(firing->state);
  const uint32_t count = ins[0].dims[0];
  if (state.started == 0) {
    if (const woa_status status = start(state, count, error); status != WOA_OK) return status;
  }
  if (count != state.count) {
    return woa_fail(error, WOA_INVALID, "x has %u elements, the first of this instance had %u", count, state.count);
  }
  const auto* x = reinterpret_cast<const uint64_t*>(ins[0].data);
  for (uint32_t i = 0; i < count; ++i) state.sums[i] += x[i];
  const bool done = count == 0 || static_cast<int64_t>(state.sums[0]) >= *static_cast<const int64_t*>(self);
  woa_output& out = outs[done ? 1 : 0];
  if (const woa_status status = woa_claim(&out, done ? "done" : "again", ins[0].bytes, error); status != WOA_OK)
    return status;
  if (count != 0) memcpy(out.data, done ? state.sums : x, ins[0].bytes);
  out.dims[0] = count;
  return WOA_OK;
}

void retire(void*, void* state) { free(static_cast<State*>(state)->sums); }

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .run = run, .retire = retire, .state_bytes = sizeof(State))
