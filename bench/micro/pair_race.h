// Work that two pinned processes do side by side.
#pragma once

#include <cstdint>
#include <functional>

#include "bench/micro/meeting.h"
#include "runtime/base/status.h"

namespace woa::bench {

// The parts of process 0 (the caller) and process 1 (a child). False: the other side is gone, or wrong data came.
struct Race {
  std::function<bool(std::uint64_t process)> prepare;  // takes its pages; not timed
  // Returns when this process has issued its part and all of that is done.
  std::function<bool(std::uint64_t process)> run;
  std::function<void(std::uint64_t process)> meanwhile;  // called repeatedly while it waits for the other to be done
};

// Nanoseconds from both processes being ready until both are done. Errors: as raw_mailbox_ns().
Result<double> race_ns(const Race& race);

}  // namespace woa::bench
