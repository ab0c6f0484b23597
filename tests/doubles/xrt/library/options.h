// Options of the double, from the variable WOA_XRT_DOUBLE. tests/doubles/xrt/README.md lists the words.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/status.h"

namespace woa::xrt_double {

// Things to leave out.
#define WOA_XRT_DOUBLE_IGNORED(X) \
  X(command_sync)                 \
  X(command_short)                \
  X(input_sync)                   \
  X(input_short)                  \
  X(result_sync)                  \
  X(result_short)                 \
  X(output_sync)                  \
  X(output_short)                 \
  X(sync)                         \
  X(argument)                     \
  X(start)                        \
  X(start_order)                  \
  X(wait)                         \
  X(early_callback)               \
  X(callback)                     \
  X(bank)                         \
  X(alignment)                    \
  X(state)

inline constexpr unsigned kIgnoredOften = 4;  // one in four of what is dropped by chance

struct Ignore {
#define WOA_MEMBER(name) bool name = false;
  WOA_XRT_DOUBLE_IGNORED(WOA_MEMBER)
#undef WOA_MEMBER
};

// Failures of the n-th call, or of the n-th run.
#define WOA_XRT_DOUBLE_FAILURES(X) \
  X(no_card)                       \
  X(busy)                          \
  X(wrong_shell)                   \
  X(load)                          \
  X(kernel)                        \
  X(group)                         \
  X(alloc)                         \
  X(sync)                          \
  X(start)                         \
  X(damaged)                       \
  X(run_error)                     \
  X(hung)                          \
  X(slow)                          \
  X(lost)

enum class Failure {
#define WOA_ENUMERATOR(name) name,
  WOA_XRT_DOUBLE_FAILURES(WOA_ENUMERATOR)
#undef WOA_ENUMERATOR
};
#define WOA_ONE(name) +1
inline constexpr std::size_t kFailures = 0 WOA_XRT_DOUBLE_FAILURES(WOA_ONE);
#undef WOA_ONE

struct Options {
  std::uint64_t seed = 1;  // 0: no delays
  unsigned devices = 1;
  std::uint64_t memory_bytes = 256u << 20;  // of each bank
  std::chrono::microseconds delay{0}, transfer{0};
  std::chrono::microseconds slow{7'000'000};  // of the run that fail=slow names
  std::string card;  // a file that stands for the card, for processes that share it; empty: this process has its own
  bool no_user_pointer = false;
  bool rules_are_errors = false;  // a broken rule makes the call fail, and does not end the process
  Ignore ignore;
  std::array<std::uint64_t, kFailures> fail{};  // by Failure; counts from 1; 0: never
};

// kInvalid: the word that is wrong, and the file that lists them.
Result<Options> parse_options(std::string_view text);

// This process's options, read at the first call. A wrong word is printed, and aborts the process.
const Options& options();

}  // namespace woa::xrt_double
