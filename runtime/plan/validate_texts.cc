// Terminals show a plan's names, above all in errors: a plan made by hand must not be able to steer them. Names from
// the compiler are plain; paths, sources and values of parameters may be any text and are no names (AnyText).
#include "runtime/base/text.h"
#include "runtime/plan/plain_texts.h"
#include "runtime/plan/plan_fields.h"
#include "runtime/plan/validate.h"

namespace woa::validation {
bool is_plain(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || begins_with_control(text)) return false;
    text.remove_prefix(length);
  }
  return true;
}

Status PlainTexts::status() const {
  if (found_.empty()) return {};
  return broken(found_, " has a control character or is no UTF-8 text: a terminal could take it for commands");
}

Status validate_texts(const Plan& plan) {
  PlainTexts texts;
  fields(texts, plan);
  return texts.status();
}

}  // namespace woa::validation
