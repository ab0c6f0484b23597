// Checks what a plan claims without trusting who made it.
#pragma once

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// Whether a plan's certificate is true (docs/placement.md): everything is computed anew, without a solver. kNotFound:
// it has none. kInvalid: the message names what is not so.
Status verify_certificate(const CertifiedPlan& plan);

// Whether a plan's instances end, whatever branches they take and however long kernels and packets take, as long as
// kernels end (docs/liveness.md): its control flow is analysed anew, and every edge must have at least b(e) blocks for
// an instance, and tags that keep firings apart; b(e) is shown by the plan's invariants, too (runtime/plan/liveness.h).
// `plan` has passed validate(), and is as in a file, without relays: that a call model's routes keep it live is how
// they are made (ADR 32). kInvalid: the message says what is not so.
Status verify_liveness(const CertifiedPlan& plan);

}  // namespace woa
