// Tells people which element of a scatter and which turn of a loop a firing was, as its tag counts them.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// "element 50", "element 3 of 'cut', element 1 of 'split'", "element 50, turn 2 of loop 'refine'"; all count from 0.
// Empty: an instance fires the stage once. Walks the plan's edges: for what has failed.
std::string tag_text(const Plan& plan, std::uint32_t stage, std::uint64_t tag);
// Why a firing failed, behind that text if there is any.
Status at_tag(const Plan& plan, std::uint32_t stage, std::uint64_t tag, const Status& why);

}  // namespace woa
