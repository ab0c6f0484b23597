// Call models as rewrites of a plan: the same kernels, controllers and transports, but other routes.
#pragma once

#include <string_view>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// Replaces a plan's edges by the routes of a call model. `plan` is as the compiler makes it and files have it, without
// relays, whichever model it was compiled for; or it already has those of this model.
//
// rpc-hub: an RPC program's caller, in one place. Every stage off the host gets a relay stage on the host: the stage's
// inputs come to the relay, which holds a call's arguments until they are complete and then sends them on to the stage.
// So a token travels A -> host -> B: [A != H] + [H != B] packets, where [..] is 1 if true and else 0 (2k for a chain of
// k). The host copies no payloads: the relay passes the block on by reference, as the best RPC over shared memory
// would.
//
// rpc-fused: a call runs a group of stages in a row on one controller. Tokens between stages of one controller stay
// there. Others come back to the host first, which passes them on: 0, or [A != H] + [H != B] packets. The stage's own
// controller holds arguments until they are complete. The count of a scatter goes straight to the stage that gathers.
//
// rpc-nested: calls inside calls. Tokens go straight to their readers, each as a call. A call returns when the calls
// that its firing made have returned: 2 [A != B]. The graph's outputs ride on the returns, back to the source's relay,
// which passes them to the sink. A join answers all of its callers; outputs ride on the return to the writer of its
// first input. A return without an output is a packet without payload.
//
// rpc-polled: like rpc-hub, but the caller asks. With a call goes a poll, which the stage's controller answers when the
// firing is done; for each result the host sends a request, and gets the result: 2 [A != H] + [H != B], and 2 for each
// firing. Until then results wait on the writer's controller. If the firing scattered, the number of its elements is
// the answer, and one request fetches all elements that a stage reads: [A != H] for each firing instead of each
// element.
//
// No edge stays on a card (EdgePlan::on_card) but under woa: each stage is a call of its own.
//
// kNotFound: no such model (the message lists them). kInvalid: the plan has another model's relays.
// kUnsupported: the model cannot run the graph; the message names a stage and why. Nested: loops, scatters, replicas,
// choices and merges, because the way back would have to be remembered; and outputs that would return through
// kMaxPassed calls or more. Polled: stages that choose in more than one way, or choose and scatter, because an answer
// to a poll says one thing: done, which way, or how many elements.
Result<Plan> rewrite(const Plan& plan, std::string_view model);

}  // namespace woa
