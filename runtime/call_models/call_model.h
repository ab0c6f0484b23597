// Call models as rewrites of a plan: the same kernels on the same controllers over the same transports, other routes.
#pragma once

#include <string_view>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// Names of the call models that rewrite() knows, for --help and error texts.
inline constexpr std::string_view kCallModels[] = {"woa", "rpc-fused", "rpc-hub", "rpc-nested", "rpc-polled"};

// The routes that a call model has in place of a plan's edges. `plan` is as the compiler makes it and as files have it,
// without relays, whichever model it was compiled for; or it has those of this one already.
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
// rpc-nested: calls inside calls. Tokens go straight to who reads them, each a call, and a call returns when the firing
// that it was for has returned, which it does when the calls that it made have: 2 [A != B]. The graph's outputs ride on
// the returns, back to the source's, which passes them to the sink. A join answers all of its callers; outputs ride on
// the return to the writer of its first input. A return without an output is a packet without payload.
//
// rpc-polled: as rpc-hub, but the caller asks. With a call goes a poll, which the stage's controller answers when the
// firing is done; for each result the host sends a request, and gets it: 2 [A != H] + [H != B], and 2 for each firing.
// What was written waits on the writer's controller until then.
//
// kNotFound: no such model (the message lists them). kInvalid: the plan has another model's relays.
// kUnsupported: the graph cannot be run so; the message names a stage and why. Nested: loops, scatters, replicas,
// choices and merges, since the way back would have to be remembered, and outputs that would return through more than
// kMaxPassed calls. Polled: scatters and stages that choose in more than one way, since an answer to a poll says one
// thing: done, or which way.
Result<Plan> rewrite(const Plan& plan, std::string_view model);

}  // namespace woa
