// The traffic on the edges of a plan, by the profile that it was placed by.
#pragma once

#include <vector>

#include "compiler/certificate/certificate.h"

namespace woa {

// Tokens and bytes of an instance: means, if branches and loops decide.
struct Traffic {
  double tokens = 0, bytes = 0;
};

// By edge of the plan; empty: the plan has no certificate. An edge from a relay, which a call model added, carries what
// comes by the relay's input, except held tokens that no firing reads. A signal, which a call model added, too, goes
// with each token of its output, with the number of its elements, or with what its relay waited for. Counts have no
// payload. If the certificate is of another plan (verify_certificate()), edges that it does not know carry nothing.
std::vector<Traffic> traffic_of(const CertifiedPlan& plan);

}  // namespace woa
