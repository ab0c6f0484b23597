// Where the host of a virtual machine keeps our two processors. It moves them as it likes, and between two threads of
// one core a message takes a fifth of the time that it takes between two cores: no figure means anything without it.
#pragma once

#include "runtime/base/status.h"

namespace woa::bench {

class HostProbe {
 public:
  // Some milliseconds of the raw mailbox, whose errors it returns.
  Status look();
  // "near" (two threads of one core) or "far" (two cores) if every look said so, "mixed" if they differ, "n/a" before
  // the first.
  [[nodiscard]] const char* state() const;

 private:
  bool near_ = false, far_ = false;
};

}  // namespace woa::bench
