// What tells one graph from another: for files that hold for one graph only.
#pragma once

#include <string>

#include "compiler/check/graph.h"

namespace woa {

// 16 hexadecimal digits: FNV-1a (64 bits, draft-eastlake-fnv) over name, stages with kernels and parameters, edges and
// loops, in the order of the file. Left out is what does not change what is computed: pins, lanes, window, deadline,
// comments; and what must not be kept or depends on the machine: secrets and paths. Parameters must be set.
std::string graph_hash(const Graph& graph, const std::string& name);

}  // namespace woa
