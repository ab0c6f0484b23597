// Checks that a profile is of this graph, which it names by a hash.
#pragma once

#include <string>

#include "compiler/check/graph.h"
#include "compiler/parse/profile.h"

namespace woa {

// Reports a profile of another graph, or one that names other stages or edges than the graph has, or tokens that are
// never read where no port holds. `name` and `hash` are the graph's. True if it fits.
bool check_profile(const Profile& profile, const Graph& graph, const std::string& name, const std::string& hash,
                   Report& report);

// 16 hexadecimal digits: FNV-1a (64 bits, draft-eastlake-fnv) over name, stages with kernels and parameters, edges and
// loops, in the order of the file. Left out is what does not change what is computed: pins, lanes, window, deadline,
// comments; and what must not be kept or depends on the machine: secrets and paths. Parameters must be set.
std::string graph_hash(const Graph& graph, const std::string& name);

}  // namespace woa
