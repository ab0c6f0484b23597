// A plan as a Graphviz drawing.
#pragma once

#include <string>

#include "compiler/certificate/certificate.h"

namespace woa {

// Graphviz source of a plan: stages grouped by controller, edges labelled with port, type and blocks. With a
// certificate also what stages take, and what an instance sends over the edges. Whatever the names are, they are shown.
std::string to_dot(const CertifiedPlan& plan);

}  // namespace woa
