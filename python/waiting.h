// Waiting without the GIL, so that Ctrl-C and other threads go on.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace woa::python {

// After so long at most a waiting call looks for signals.
constexpr std::chrono::milliseconds kSlice{100};

// Threads of Python that wait in wait_in_slices(). Python ends those that want the GIL when it exits, in the middle of
// this code: so its exit waits for them (woa/_run.py).
inline std::atomic<int> waiting{0};

// Calls `step`, which waits kSlice at most, without the GIL until it answers true. Throws what a signal's handler
// threw, such as KeyboardInterrupt. False: `deadline` has passed first.
template <class Step>
bool wait_in_slices(std::chrono::steady_clock::time_point deadline, Step step) {
  struct Counted {
    Counted() { ++waiting; }
    ~Counted() { --waiting; }
  } const counted;
  for (;;) {
    {
      const nanobind::gil_scoped_release released;
      if (step()) return true;
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
}

// Until no thread waits, or 2 s have passed.
inline void let_waiting_threads_leave() {
  const nanobind::gil_scoped_release released;
  for (int tries = 0; tries < 2000 && waiting != 0; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Runs `work` without the GIL, in a thread that may have it or not.
template <class Work>
auto without_gil(Work work) {
  if (PyGILState_Check() == 0) return work();
  const nanobind::gil_scoped_release released;
  return work();
}

// `work` of another thread, whose result a signal may keep from being awaited: it is dropped then.
template <class Result, class Work>
Result interruptibly(Work work) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    Result result{};
  };
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, work = std::move(work)]() mutable {
    Result result = work();
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->done = true;
    shared->changed.notify_all();
  }).detach();
  wait_in_slices(std::chrono::steady_clock::time_point::max(), [&] {
    std::unique_lock lock(shared->mutex);
    return shared->changed.wait_for(lock, kSlice, [&] { return shared->done; });
  });
  return std::move(shared->result);
}

}  // namespace woa::python
