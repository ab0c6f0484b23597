// What to do about a plan whose pipeline does not keep up with a wanted period, found by executing what could be done.
#pragma once

#include <vector>

#include "compiler/place/pipelined_run.h"
#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

struct WantedPeriod {
  assign::Sum ps = 0;
  const char* name = "";  // what it is
};

// kExhausted: says what is reached, and which edge has too few blocks for more, or which window has enough, or that
// none has. `full`: with `room`, all blocks that the plan has (run_pipelined()).
Status missed_period(const Plan& plan, const Pipeline& pipeline, const std::vector<std::uint32_t>& room,
                     const PipelinedRun& full, const WantedPeriod& wanted);

}  // namespace woa
