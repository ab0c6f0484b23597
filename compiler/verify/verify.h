// Checks a plan's claims without trusting its maker.
#pragma once

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// Checks that a plan's certificate is true (docs/placement.md) by computing everything anew, without a solver.
// kNotFound: the plan has none. kInvalid: the message names what is wrong.
Status verify_certificate(const CertifiedPlan& plan);

// Checks that a plan's instances end, whatever branches they take and however long kernels and packets take, as long as
// kernels end (docs/liveness.md). Its control flow is analysed anew, and every edge must have at least b(e) blocks for
// an instance, and tags that keep firings apart. The plan's invariants must prove b(e), too, unless it is claimed
// (compiler/certificate/live_blocks.h). `plan` has passed validate(), and is as in a file, without relays: a call
// model's routes keep it live by construction (ADR 32). kInvalid: the message says what is wrong.
Status verify_liveness(const CertifiedPlan& plan);

}  // namespace woa
