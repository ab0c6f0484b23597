// Starts threads, which the system may refuse and which signals do not reach.
#pragma once

#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/base/status.h"

namespace woa {

// Blocks signals in the calling thread while it lives. A thread that is started meanwhile has them blocked from its
// first instruction: a program that blocks a signal in its own threads, to wait for it, would else be ended by it,
// since the system delivers it to any thread that does not block it. Not those that a thread's own instruction raises,
// and not SIGPROF, which profilers send to each thread.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// A thread (a std::thread or std::jthread) that runs `work` and that signals do not reach. std::system_error: the
// system refuses it.
template <class Thread, class Work>
Thread make_thread(Work&& work) {
  const SignalsBlocked blocked;
  return Thread(std::forward<Work>(work));
}

// Makes `thread` such a thread. kExhausted: `what` could not be done, since a limit on threads is reached; the message
// names the limit and how to raise it. `thread` is then unchanged.
template <class Thread, class Work>
Status start_thread(Thread& thread, std::string_view what, Work&& work) {
  try {
    thread = make_thread<Thread>(std::forward<Work>(work));
  } catch (const std::system_error& error) {
    return limit_reached(what, error.code().value());
  }
  return {};
}

}  // namespace woa
