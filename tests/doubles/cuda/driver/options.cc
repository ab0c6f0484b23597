#include "tests/doubles/cuda/driver/options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace woa::cuda_double {
namespace {

// Reads "12", "64K", "64M" or "1G".
bool read_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  value <<= shift;
  return unit.empty() || shift != 0;
}

template <class Number>
bool set_number(std::string_view text, Number& into) {
  std::uint64_t value = 0;
  if (!read_number(text, value)) return false;
  into = static_cast<Number>(value);
  return true;
}

bool set_ignored(std::string_view word, Ignore& ignore) {
#define WOA_WORD(name) \
  if (word == #name) return ignore.name = true;
  WOA_CUDA_DOUBLE_IGNORED(WOA_WORD)
#undef WOA_WORD
  return false;
}

bool set_failure(std::string_view word, Fail& fail) {
  if (word == "ptx_version") return fail.ptx_version = true;
  const std::size_t at = word.find('@');
  if (at == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, at), number = word.substr(at + 1);
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
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return set_flag(word, options);
  const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
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
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!set(word, options)) {
      return {Code::kInvalid, "WOA_CUDA_DOUBLE: unknown word \"" + std::string(word) +
                                  "\"; tests/doubles/cuda/README.md lists the words"};
    }
  }
  return options;
}

const Options& options() {
  static const Options* const chosen = [] {
    const char* const text = std::getenv("WOA_CUDA_DOUBLE");
    const woa::Result<Options> parsed = parse_options(text == nullptr ? "" : text);
    if (!parsed.ok()) {
      std::fprintf(stderr, "%s\n", parsed.status().message().c_str());
      std::abort();
    }
    return new Options(*parsed);
  }();
  return *chosen;
}

}  // namespace woa::cuda_double
