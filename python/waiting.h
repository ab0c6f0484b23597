// Waiting without the GIL, so that Ctrl-C and other threads go on.
#pragma once

#include <nanobind/nanobind.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "python/gil.h"

namespace woa::python {

// After so long at most a waiting call looks for signals.
constexpr std::chrono::milliseconds kSlice{100};

// Calls `step`, which waits kSlice at most, without the GIL until it answers true. Throws what a signal's handler
// threw, such as KeyboardInterrupt. False: `deadline` has passed first.
template <class Step>
bool wait_in_slices(std::chrono::steady_clock::time_point deadline, Step step) {
  for (;;) {
    {
      const GilReleased released;
      if (step()) return true;
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
}

// In a thread that no signal reaches, nor those that the library starts there: a program may block a signal and wait
// for it.
template <class Work>
void start_detached(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread(std::move(work)).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// `work` of another thread, whose result a signal may keep from being awaited: it is dropped then.
template <class Result, class Work>
Result interruptibly(Work work) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    Result result{};
    std::exception_ptr failed;
  };
  const auto shared = std::make_shared<Shared>();
  start_detached([shared, work = std::move(work)]() mutable {
    Result result{};
    std::exception_ptr failed;
    try {
      result = work();
    } catch (...) {  // for the thread that waits
      failed = std::current_exception();
    }
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->failed = failed;
    shared->done = true;
    shared->changed.notify_all();
  });
  wait_in_slices(std::chrono::steady_clock::time_point::max(), [&] {
    std::unique_lock lock(shared->mutex);
    return shared->changed.wait_for(lock, kSlice, [&] { return shared->done; });
  });
  if (shared->failed) std::rethrow_exception(shared->failed);
  return std::move(shared->result);
}

}  // namespace woa::python
