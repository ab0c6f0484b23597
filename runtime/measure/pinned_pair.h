// Two processes on two processors, for the micro-benchmarks: this one on 0, a child on 1.
#pragma once

#include "runtime/measure/pinned_group.h"

namespace woa::measure {

struct PinnedPair {
  // The group of one child that runs `body`. Errors as PinnedGroup::start().
  static Result<PinnedGroup> start(const std::function<int()>& body) {
    const Member child{1, body};
    return PinnedGroup::start({&child, 1});
  }
};

}  // namespace woa::measure
