// An optimum, and why it is one.
#pragma once

#include "compiler/assign/bound.h"
#include "compiler/assign/problem.h"

namespace woa::assign {

struct Solved {
  Placement placement;
  Multipliers proof;  // whose lower_bound() is the placement's value
};

}  // namespace woa::assign
