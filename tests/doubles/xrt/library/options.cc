#include "tests/doubles/xrt/library/options.h"

#include "tests/doubles/common/words.h"

namespace woa::xrt_double {
namespace {

using doubles::set_number;

bool set_ignored(std::string_view word, Ignore& ignore) {
#define WOA_WORD(name) \
  if (word == #name) return ignore.name = true;
  WOA_XRT_DOUBLE_IGNORED(WOA_WORD)
#undef WOA_WORD
  return false;
}

bool set_failure(std::string_view word, Options& options) {
  std::string_view name, number;
  if (!doubles::cut(word, '@', name, number)) return false;
#define WOA_WORD(failure) \
  if (name == #failure) return set_number(number, options.fail[static_cast<std::size_t>(Failure::failure)]);
  WOA_XRT_DOUBLE_FAILURES(WOA_WORD)
#undef WOA_WORD
  return false;
}

bool set_duration(std::string_view text, std::chrono::microseconds& into) {
  std::int64_t us = 0;
  if (!set_number(text, us)) return false;
  into = std::chrono::microseconds(us);
  return true;
}

bool set(std::string_view word, Options& options) {
  std::string_view name, value;
  if (!doubles::cut(word, '=', name, value)) return word == "no_user_pointer" && (options.no_user_pointer = true);
  if (name == "seed") return set_number(value, options.seed);
  if (name == "devices") return set_number(value, options.devices);
  if (name == "memory") return set_number(value, options.memory_bytes);
  if (name == "delay_us") return set_duration(value, options.delay);
  if (name == "transfer_us") return set_duration(value, options.transfer);
  if (name == "slow_us") return set_duration(value, options.slow);
  if (name == "card") return !(options.card = value).empty();
  if (name == "ignore") return set_ignored(value, options.ignore);
  if (name == "fail") return set_failure(value, options);
  if (name == "rules") return value == "errors" && (options.rules_are_errors = true);
  return false;
}

}  // namespace

Result<Options> parse_options(std::string_view text) {
  Options options;
  if (auto status = doubles::set_words(text, "WOA_XRT_DOUBLE", "tests/doubles/xrt/README.md",
                                       [&](std::string_view word) { return set(word, options); });
      !status.ok())
    return status;
  return options;
}

const Options& options() {
  static const Options& chosen = doubles::options_of("WOA_XRT_DOUBLE", &parse_options);
  return chosen;
}

}  // namespace woa::xrt_double
