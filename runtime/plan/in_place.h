// Decides which outputs are written over an input's payload, for the compiler and for validate().
#pragma once

#include "runtime/plan/plan.h"

namespace woa {

// `plan` has each OutputPortPlan::in_place as its kernel offers it, and otherwise passes validate(). Sets to -1 those
// that validate() refuses: somebody else may see the payload, or its block has passed through too many stages.
void keep_allowed_in_place(Plan& plan);

}  // namespace woa
