// The rewrites of a `woa` plan, one to a file. `plan` has passed validate(); Plan::model is left as it is.
#pragma once

#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::rpc {

// `callers`: if not null, by stage: the relay that calls it, or 0 for stages on the host.
Plan to_hub(const Plan& plan, std::vector<std::uint32_t>* callers = nullptr);
Plan to_fused(const Plan& plan);
// kUnsupported: a graph that it cannot be made of; the message names the stage, and why.
Result<Plan> to_nested(const Plan& plan);
Result<Plan> to_polled(const Plan& plan);

}  // namespace woa::rpc
