// Which bits of a stage's tags say for which element of a scatter it fires.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa {

// By stage: the bits that number the elements of the innermost scatter that it lies in, 0 where it lies in none. Of
// plans as files have them, and of those that call models have added relays to.
std::vector<std::uint64_t> element_numbers(const Plan& plan);

}  // namespace woa
