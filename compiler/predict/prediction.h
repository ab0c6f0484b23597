// What a plan's placement comes to: the prediction that its certificate holds, computed from its costs alone.
#pragma once

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// Under the call model of the plan's certificate; the plan is as in a file, without relays. kNotFound: it has no
// certificate. kInvalid: one of another plan, or its costs are no problem (placement_problem.h), or come to more than
// can be counted.
Result<Prediction> predict(const CertifiedPlan& plan);

}  // namespace woa
