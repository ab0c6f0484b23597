// Binds a process to a processor.
#pragma once

#include <sched.h>

#include <cstddef>

namespace woa::bench {

// Binds the calling thread, and those that it starts from now on, to one processor. False: the system does not let it.
inline bool pin(std::size_t processor) noexcept {
  if (processor >= CPU_SETSIZE) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace woa::bench
