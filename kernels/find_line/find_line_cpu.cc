#include <algorithm>
#include <string>
#include <string_view>

#include "woa/woa_kernel.h"

namespace {

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  const char* text = woa_param_text(params, count, "text");
  if (text == nullptr) return woa_fail(error, WOA_INVALID, "parameter 'text' is missing");
  if (strchr(text, '\n') != nullptr)
    return woa_fail(
        error, WOA_INVALID,
        "parameter 'text' has a line feed, which no line has: write it in quotes, or behind |- in place of |");
  *self = new std::string(text);
  return WOA_OK;
}

void destroy(void* self) { delete static_cast<std::string*>(self); }

woa_status run(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const std::string_view data(ins[0].bytes == 0 ? "" : reinterpret_cast<const char*>(ins[0].data), ins[0].bytes);
  const auto& text = *static_cast<const std::string*>(self);
  for (size_t begin = 0; begin < data.size();) {
    const size_t end = std::min(data.find('\n', begin), data.size());
    const std::string_view line = data.substr(begin, end - begin);
    begin = end + 1;
    if (line.find(text) == std::string_view::npos) continue;
    if (const woa_status status = woa_claim(&outs[0], "line", line.size(), error); status != WOA_OK) return status;
    if (!line.empty()) memcpy(outs[0].data, line.data(), line.size());
    return WOA_OK;
  }
  return WOA_OK;  // unwritten: absent
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .run = run)
