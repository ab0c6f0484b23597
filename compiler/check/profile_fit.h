// Checks by a hash that a profile belongs to this graph.
#pragma once

#include <string>

#include "compiler/check/graph.h"
#include "compiler/parse/profile.h"

namespace woa {

// Reports a profile of another graph, one whose stages or edges are not the graph's, and tokens left unread where no
// port holds. `name` and `hash` are the graph's. True if it fits.
bool check_profile(const Profile& profile, const Graph& graph, const std::string& name, const std::string& hash,
                   Report& report);

// 16 hexadecimal digits: FNV-1a (64 bits, draft-eastlake-fnv) over name, stages with kernels and parameters, edges and
// loops, in the order of the file. Pins, lanes, window, deadline and comments are left out: they do not change the
// results. So are secrets, which must not be kept, and paths, which depend on the machine. Parameters must be set.
std::string graph_hash(const Graph& graph, const std::string& name);

}  // namespace woa
