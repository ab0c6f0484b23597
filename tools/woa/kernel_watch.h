// Kernels that end their process: by exit(), or by a signal (a wild pointer, abort()). The kernel must be named before
// the process is gone.
#pragma once

#include "runtime/node/run.h"

namespace woa::tools {

// For the process of a run whose kernels are its threads. While it lives, exit() becomes an error that names the
// running kernels, with exit code 1. A signal is reported with them on stderr and, if `as_json`, in the object on
// stdout, before it ends the process as it would have. One at a time.
class KernelWatch {
 public:
  KernelWatch(const Run& run, bool as_json);
  ~KernelWatch();
  KernelWatch(const KernelWatch&) = delete;
  KernelWatch& operator=(const KernelWatch&) = delete;
};

// For the process of a node, whose host says what ran. While it lives, exit() ends the process at once: destructors
// would wait for threads that go on.
class ExitWatch {
 public:
  ExitWatch();
  ~ExitWatch();
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;
};

}  // namespace woa::tools
