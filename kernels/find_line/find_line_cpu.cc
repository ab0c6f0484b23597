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

// The line that holds character `at`, without its end.
std::string_view line_around(std::string_view data, size_t at) {
  const size_t before = at == 0 ? std::string_view::npos : data.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return data.substr(begin, data.find('\n', at) - begin);
}

// No text spans two lines, so the first place of all is in the first such line. One search takes a fifth of the time of
// a search in each line.
woa_status run(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  if (ins[0].bytes == 0) return WOA_OK;  // unwritten: absent
  const std::string_view data(reinterpret_cast<const char*>(ins[0].data), ins[0].bytes);
  const auto& text = *static_cast<const std::string*>(self);
  const void* const found = memmem(data.data(), data.size(), text.data(), text.size());
  if (found == nullptr) return WOA_OK;
  const std::string_view line = line_around(data, static_cast<size_t>(static_cast<const char*>(found) - data.data()));
  if (const woa_status status = woa_claim(&outs[0], "line", line.size(), error); status != WOA_OK) return status;
  if (!line.empty()) memcpy(outs[0].data, line.data(), line.size());
  return WOA_OK;
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .run = run)
