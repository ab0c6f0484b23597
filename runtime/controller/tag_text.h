// Where in an instance a firing is, for people: elements of scatters and turns of loops, which the tag counts.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/plan/plan.h"

namespace woa {

// "element 50", "element 3 of 'cut', element 1 of 'split'", "element 50, turn 2 of loop 'refine'"; all count from 0.
// Empty: an instance fires the stage once. Walks the plan's edges: for what has failed.
std::string tag_text(const Plan& plan, std::uint32_t stage, std::uint64_t tag);

}  // namespace woa
