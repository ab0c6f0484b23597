// Processors of this host that threads are pinned to.
#pragma once

#include <sched.h>

#include "runtime/base/status.h"

namespace woa {

inline constexpr int kNoProcessor = -1;

// Pins the calling thread, and those that it starts from now on. kInvalid: the system lets it not, since the processor
// does not exist or is not allowed here; the message lists those that this process may use.
Status pin_thread(int processor);
// Says whether pin_thread() would succeed. Changes nothing.
Status check_processor(int processor);

// Pins the calling thread for its lifetime. Make and destroy it on one thread.
class PinnedThread {
 public:
  PinnedThread() noexcept;
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  // Like pin_thread(); kNoProcessor changes nothing.
  Status pin(int processor);

 private:
  cpu_set_t before_;
  bool known_;
};

}  // namespace woa
