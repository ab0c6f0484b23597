// A plan as a Graphviz drawing.
#pragma once

#include <string>

#include "compiler/certificate/certificate.h"

namespace woa {

// Graphviz source of a plan: stages grouped by controller, edges labelled with port, type and blocks. With a
// certificate also the stages' times, and what an instance sends over each edge. Any name can be shown.
std::string to_dot(const CertifiedPlan& plan);

}  // namespace woa
