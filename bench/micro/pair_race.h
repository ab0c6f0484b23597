// Work that two pinned processes do side by side.
#pragma once

#include <cstdint>
#include <functional>

#include "bench/micro/meeting.h"
#include "runtime/base/status.h"

namespace woa::bench {

// What process 0 (the caller) and process 1 (a child) do. False: the other side is gone, or what came was wrong.
struct Race {
  std::function<bool(std::uint64_t process)> prepare;  // takes its pages; not timed
  // Returns when this process has issued its part and all of that is done.
  std::function<bool(std::uint64_t process)> run;
  std::function<void(std::uint64_t process)> meanwhile;  // while it waits for the other to be done, again and again
};

// Nanoseconds from the moment when both processes are ready until both are done. Errors as raw_mailbox_ns().
Result<double> race_ns(const Race& race);

}  // namespace woa::bench
