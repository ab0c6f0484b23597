// Options of the double, from the variable WOA_CUDA_DOUBLE. tests/doubles/cuda/README.md lists the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "controllers/gpu/cuda/cuda_api.h"
#include "runtime/base/status.h"

namespace woa::cuda_double {

inline constexpr unsigned kSharedLimit = 64 << 10;  // of a block, at most

// Things to leave out. The first four are the interpreter's (ptx/interpreter.h).
#define WOA_CUDA_DOUBLE_IGNORED(X) \
  X(fence)                         \
  X(acquire)                       \
  X(barrier_order)                 \
  X(barrier)                       \
  X(event_wait)                    \
  X(event_record)                  \
  X(write_barrier)                 \
  X(write_order)                   \
  X(write_value)                   \
  X(bell)                          \
  X(host_function_order)           \
  X(copy)                          \
  X(copy_order)                    \
  X(stream_order)                  \
  X(launch)                        \
  X(registration)                  \
  X(query)                         \
  X(sticky)

struct Ignore {
#define WOA_MEMBER(name) bool name = false;
  WOA_CUDA_DOUBLE_IGNORED(WOA_MEMBER)
#undef WOA_MEMBER
};

// Counts from 1; 0: never.
struct Fail {
  std::uint64_t no_memory = 0, illegal_address = 0, lost = 0, endless = 0, slow = 0;
  std::uint64_t write_value = 0, launch = 0, registration = 0;  // calls
  bool ptx_version = false;
};

struct Options {
  std::uint64_t seed = 1;
  int devices = 1, driver = 13000, sms = 16;
  std::size_t memory_bytes = 256u << 20;
  cuda::Result init = cuda::kSuccess;  // of cuInit
  bool time_limit = false, exclusive = false, prohibited = false, no_memops = false, no_read_only = false;
  bool rules_are_errors = false;  // a broken rule makes the call fail, and does not end the process
  Ignore ignore;
  Fail fail;
};

// kInvalid: the word that is wrong, and which words there are.
woa::Result<Options> parse_options(std::string_view text);

// This process's options, read at the first call. A wrong word is printed, and aborts the process.
const Options& options();

}  // namespace woa::cuda_double
