// Processors of this host: how many a process may use, and how threads get their turns on them.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"

namespace woa {

using Processors = std::vector<int>;  // numbers, ascending; none: any

std::string to_text(const Processors& processors);          // "0-3,8"
std::string processors_text(const Processors& processors);  // "processor 1", "processors 0-3,8"

// Processors that this process can keep busy: those that it may run on, or fewer where the quota of a control group is
// smaller (a part of one counts as one). At least 1.
std::size_t usable_processors();

// The time that this process ran, and the time that its threads were ready to and waited for a processor
// (/proc/PID/task/TID/schedstat, of those that have not ended). 0 where the system does not say.
struct ProcessorUse {
  std::uint64_t ran_ns = 0, waited_ns = 0;
  ProcessorUse& operator+=(const ProcessorUse& other) noexcept {
    ran_ns += other.ran_ns, waited_ns += other.waited_ns;
    return *this;
  }
};
ProcessorUse use_of_process() noexcept;
// The processors that the calling thread may run on.
Processors allowed_processors();
// The time that these processors worked since the system started, for any program (/proc/stat, in hundredths of a
// second). 0 where the system does not say.
std::uint64_t busy_time_ns(const Processors& processors) noexcept;

// The two above, from a moment on.
class ProcessorWatch {
 public:
  void start();
  [[nodiscard]] ProcessorUse own() const noexcept;
  // The time of the processors that the thread which called start() might run on.
  [[nodiscard]] std::uint64_t all_ns() const noexcept;

 private:
  Processors allowed_;
  ProcessorUse own_;
  std::uint64_t all_ns_ = 0;
};

// Has libraries that give a kernel threads of its own (OpenMP, BLAS) give it one, unless the environment has another
// number: beside other workers more would only take turns. Sets variables of the environment; for a process without
// other threads that read them, before it loads kernels.
void keep_kernels_to_one_thread() noexcept;

// Pins the calling thread to one of these, and those threads that it starts from now on. None: changes nothing.
// kInvalid: the system lets it not; the message says what forbids it (the machine has no such processor, the control
// group, the mask of the caller), and lists those that this process may use.
Status pin_thread(const Processors& processors);
// kInvalid, with the same message: the processor is none of those that the calling thread may run on, or might before a
// PinnedThread pinned it. Linux lets a thread leave them again, but whoever started the program meant them.
Status check_processor(int processor);

// Pins the calling thread for its lifetime. Several of a thread may end in any order; one that ends in another thread
// leaves it pinned.
class PinnedThread {
 public:
  PinnedThread() noexcept;
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  // Like pin_thread().
  Status pin(const Processors& processors);

 private:
  const int thread_;
};

// Asks for short turns of the calling thread, and of those that it starts, for its lifetime. A thread that hands work
// on sleeps and wakes thousands of times a second; beside busy programs Linux since 6.12 lets the thread that asked for
// the shorter turn go first when it wakes. Its share of the processor stays as it was (EEVDF: Stoica and Abdel-Wahab,
// 1995; `sched_runtime` of sched_setattr(2)). Elsewhere it changes nothing. The turns stay short if another thread
// destroys it.
class ShortTurns {
 public:
  ShortTurns() noexcept;
  ~ShortTurns();
  ShortTurns(const ShortTurns&) = delete;
  ShortTurns& operator=(const ShortTurns&) = delete;

 private:
  int thread_ = 0;  // whose turns are to be as before; 0: none
  std::uint64_t before_ns_ = 0;
};

}  // namespace woa
