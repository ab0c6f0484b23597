// Whether a profile is of this graph.
#pragma once

#include <string>

#include "compiler/check/graph.h"
#include "compiler/parse/profile.h"

namespace woa {

// Reports a profile of another graph, or one that names other stages or edges than the graph has, or tokens that are
// never read where no port holds. `name` and `hash` are the graph's. True if it fits.
bool check_profile(const Profile& profile, const Graph& graph, const std::string& name, const std::string& hash,
                   Report& report);

}  // namespace woa
