// Computes the prediction that a plan's certificate holds, from its costs alone.
#pragma once

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// Predicts under the call model of the plan's certificate; the plan is as in a file, without relays, and runs with the
// room that raise_room() gives it for workers_counted(). kNotFound: it has no certificate. kInvalid: the certificate is
// of another plan, its costs make no problem (compiler/place/placement_problem.h), or a sum exceeds 64 bits.
Result<Prediction> predict(const CertifiedPlan& plan);

}  // namespace woa
