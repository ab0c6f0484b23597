// The report of a run, from those of its controllers. Private to runtime/node.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "runtime/node/messages.h"
#include "runtime/node/run.h"

namespace woa {

// `nodes`: by controller, the host's among them. `packets`: by wire, what its transports had carried before the run.
// RunReport::use is left to the caller.
RunReport sum_reports(std::vector<NodeReport> nodes, const std::set<std::uint32_t>& elsewhere, std::size_t edges,
                      const std::vector<std::uint64_t>& packets);

}  // namespace woa
