// Call models as rewrites of a plan: the same kernels on the same controllers over the same transports, other routes.
#pragma once

#include <string_view>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// Names of the call models that rewrite() knows, for --help and error texts.
inline constexpr std::string_view kCallModels[] = {"woa", "rpc-fused", "rpc-hub"};

// The same plan under another call model. `plan` must be a `woa` plan (as the compiler makes it).
//
// rpc-hub: an RPC program's caller, in one place. For every stage off the host a relay stage is put on the host: the
// stage's inputs come to the relay, which holds a call's arguments until they are all there and then sends them on to
// the stage. A token thus travels A -> host -> B: [A != H] + [H != B] packets (2k for a chain of k). Payloads are not
// copied by the host: the relay passes the block on by reference, as the best RPC over shared memory would.
//
// rpc-fused: calls of regions. Tokens between stages of one controller stay there; one that goes from a controller to
// another comes back to the host first, which passes it on: 0, or [A != H] + [H != B] packets. The stage's own
// controller holds arguments until they are all there. The count of a scatter goes straight to who gathers.
//
// A certificate stays if it is for that model.
//
// kNotFound: no such model (the message lists them). kInvalid: the plan is not a `woa` plan.
Result<Plan> rewrite(const Plan& plan, std::string_view model);

}  // namespace woa
