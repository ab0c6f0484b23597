#include "tests/doubles/cuda/driver/options.h"

#include "tests/doubles/common/words.h"

namespace woa::cuda_double {
namespace {

using doubles::set_number;

bool set_ignored(std::string_view word, Ignore& ignore) {
#define WOA_WORD(name) \
  if (word == #name) return ignore.name = true;
  WOA_CUDA_DOUBLE_IGNORED(WOA_WORD)
#undef WOA_WORD
  return false;
}

bool set_failure(std::string_view word, Fail& fail) {
  if (word == "ptx_version") return fail.ptx_version = true;
  std::string_view name, number;
  if (!doubles::cut(word, '@', name, number)) return false;
  if (name == "no_memory") return set_number(number, fail.no_memory);
  if (name == "illegal_address") return set_number(number, fail.illegal_address);
  if (name == "lost") return set_number(number, fail.lost);
  if (name == "endless") return set_number(number, fail.endless);
  if (name == "slow") return set_number(number, fail.slow);
  if (name == "write_value") return set_number(number, fail.write_value);
  if (name == "launch") return set_number(number, fail.launch);
  if (name == "registration") return set_number(number, fail.registration);
  return false;
}

bool set_init(std::string_view word, Options& options) {
  if (word == "device") options.init = cuda::kNoDevice;
  if (word == "mismatch") options.init = cuda::kSystemDriverMismatch;
  if (word == "system") options.init = cuda::kOperatingSystem;
  return options.init != cuda::kSuccess;
}

bool set_flag(std::string_view word, Options& options) {
  if (word == "time_limit") return options.time_limit = true;
  if (word == "exclusive") return options.exclusive = true;
  if (word == "prohibited") return options.prohibited = true;
  if (word == "no_memops") return options.no_memops = true;
  if (word == "no_read_only") return options.no_read_only = true;
  if (word == "no_driver") return set_init("device", options);
  return false;
}

bool set(std::string_view word, Options& options) {
  std::string_view name, value;
  if (!doubles::cut(word, '=', name, value)) return set_flag(word, options);
  if (name == "seed") return set_number(value, options.seed);
  if (name == "devices") return set_number(value, options.devices);
  if (name == "driver") return set_number(value, options.driver);
  if (name == "sms") return set_number(value, options.sms);
  if (name == "memory") return set_number(value, options.memory_bytes);
  if (name == "no_driver") return set_init(value, options);
  if (name == "ignore") return set_ignored(value, options.ignore);
  if (name == "fail") return set_failure(value, options.fail);
  if (name == "rules") return value == "errors" && (options.rules_are_errors = true);
  return false;
}

}  // namespace

woa::Result<Options> parse_options(std::string_view text) {
  Options options;
  if (auto status = doubles::set_words(text, "WOA_CUDA_DOUBLE", "tests/doubles/cuda/README.md",
                                       [&](std::string_view word) { return set(word, options); });
      !status.ok())
    return status;
  return options;
}

const Options& options() {
  static const Options& chosen = doubles::options_of("WOA_CUDA_DOUBLE", &parse_options);
  return chosen;
}

}  // namespace woa::cuda_double
