// The GIL, for code that may run while the interpreter ends.
//
// Python ends a thread that asks for the GIL then: before 3.14 it unwinds the thread's stack, which no C++ function in
// between survives. So once the exit has begun, a thread stops for ever where it would ask, and ends with the process,
// as Python itself does since 3.14. Only the thread that exits may ask, and callbacks that it waits for.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <type_traits>
#include <utility>

namespace woa::python {

inline std::atomic<int> asking{0};                // threads that will have the GIL next
inline std::atomic<int> helping{0};               // threads that start or end a run and that Python does not know
inline std::atomic<std::thread::id> exiting{};    // the thread that ends the interpreter; none: it goes on
inline thread_local bool is_in_callback = false;  // this thread took the GIL for a function of Python

// Counts such a thread while it lives.
struct Helping {
  Helping() { ++helping; }
  ~Helping() { --helping; }
  Helping(const Helping&) = delete;
  Helping& operator=(const Helping&) = delete;
};

// While a thread asks for the GIL. Either begin_exit() sees that it asks, or it sees that the exit has begun.
class Asking {
 public:
  Asking() {
    ++asking;
    const std::thread::id by = exiting.load();
    allowed_ = by == std::thread::id() || by == std::this_thread::get_id() || is_in_callback;
    if (!allowed_) --asking;
  }
  ~Asking() {
    if (allowed_) --asking;
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  [[nodiscard]] bool is_allowed() const { return allowed_; }

 private:
  bool allowed_;
};

// For a thread of Python, which holds the GIL. Locks that it takes meanwhile it must give back before the end.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    const Asking asking;
    while (!asking.is_allowed()) ::pause();
    PyEval_RestoreThread(state_);
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

// For a callback. False: the interpreter ends, and no object of Python may be touched.
class GilTaken {
 public:
  GilTaken() {
    if (PyGILState_Check() != 0) {
      has_ = true;
      return;
    }
    const Asking asking;
    if (!asking.is_allowed()) return;
    state_ = PyGILState_Ensure();
    is_in_callback = owns_ = has_ = true;
  }
  ~GilTaken() {
    if (!owns_) return;
    PyGILState_Release(state_);
    is_in_callback = false;
  }
  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;
  explicit operator bool() const { return has_; }

 private:
  PyGILState_STATE state_{};
  bool owns_ = false, has_ = false;
};

// For what Python's objects must be kept in when the GIL cannot be had: nobody destroys it.
template <class Held>
void abandon(Held&& held) {
  (void)new std::remove_reference_t<Held>(std::move(held));
}

// Runs `work` without the GIL, in a thread that may have it or not.
template <class Work>
auto without_gil(Work work) {
  if (PyGILState_Check() == 0) return work();
  const GilReleased released;
  return work();
}

// For the thread that ends the interpreter, before it closes the runs. Threads that start or end a run have 2 s for it.
inline void begin_exit() {
  exiting = std::this_thread::get_id();
  const GilReleased released;
  for (int tries = 0; asking != 0 || (helping != 0 && tries < 2000); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// In a child of fork(), which has none of the other threads.
inline void forget_threads() { asking = helping = 0; }

}  // namespace woa::python
