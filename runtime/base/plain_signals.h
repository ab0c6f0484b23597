// Signals as a program expects them at its start, whichever this process ignores or blocks; for posix_spawn().
#pragma once

#include <spawn.h>

#include <csignal>
#include <initializer_list>

namespace woa {

class PlainSignals {
 public:
  // `blocked`: the program begins with these blocked.
  explicit PlainSignals(std::initializer_list<int> blocked = {}) {
    sigset_t mask, all;
    sigemptyset(&mask);
    for (const int signal : blocked) sigaddset(&mask, signal);
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~PlainSignals() { posix_spawnattr_destroy(&attributes_); }
  PlainSignals(const PlainSignals&) = delete;
  PlainSignals& operator=(const PlainSignals&) = delete;
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace woa
