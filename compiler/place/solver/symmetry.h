// Components that may change places: two processors of one kind, say. A case with one of them is the same as with the
// other, so that a search looks into one only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

// By component: the first of those that it may change places with, without any placement's value or feasibility being
// changed by it; itself, if with none before.
std::vector<std::uint32_t> twins(const Problem& problem);

// Whether another component, before this one, may stand for it in a case where only the components `used` are named.
bool has_stand_in(std::span<const std::uint32_t> twins, std::span<const std::uint32_t> used, std::uint32_t component);

}  // namespace woa::assign
