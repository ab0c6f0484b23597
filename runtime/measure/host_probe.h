// Probes which physical processors the host of a virtual machine gives our two. The host moves them at will, and a
// message between two threads of one core takes a fifth of the time between two cores: figures mean nothing without
// this state.
#pragma once

#include "runtime/base/status.h"

namespace woa::measure {

class HostProbe {
 public:
  // Runs the raw mailbox for some milliseconds, and returns its errors.
  Status look();
  // "near" (two threads of one core) or "far" (two cores) if every look said so, "mixed" if they differ, "n/a" before
  // the first.
  [[nodiscard]] const char* state() const;

 private:
  bool near_ = false, far_ = false;
};

}  // namespace woa::measure
