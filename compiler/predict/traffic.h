// What goes over the edges of a plan, by the profile that it was placed by.
#pragma once

#include <vector>

#include "compiler/certificate/certificate.h"

namespace woa {

// Of an instance: means, where branches and loops decide.
struct Traffic {
  double tokens = 0, bytes = 0;
};

// By edge of the plan; empty: it has no certificate. An edge from a relay, which a call model added, carries what comes
// by the relay's input, but for held tokens that no firing reads. A signal, which a call model added, too, goes with
// each token of its output, or with what its relay waited for; no count has a payload. Of a certificate that is not
// about the plan (verify_certificate()) edges that it does not know carry nothing.
std::vector<Traffic> traffic_of(const CertifiedPlan& plan);

}  // namespace woa
