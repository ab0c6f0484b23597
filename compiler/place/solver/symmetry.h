// Interchangeable components: two processors of one kind, say. A case with one of them equals that with the other, so
// that a search visits only one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

// By component: the first one that it can be swapped with without changing any placement's value or feasibility; itself
// if there is none before it.
std::vector<std::uint32_t> twins(const Problem& problem);

// True if an earlier component can stand in for this one in a case where only the components `used` are named.
bool has_stand_in(std::span<const std::uint32_t> twins, std::span<const std::uint32_t> used, std::uint32_t component);

}  // namespace woa::assign
