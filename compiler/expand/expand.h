// Flattens a graph file with sub-graphs: later passes know only stages and kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/graph_file.h"
#include "compiler/parse/kernel_catalog.h"

namespace woa {

// Replaces every use of a sub-graph by its stages, after looking up the names that references contain (names.h). Stage
// `s` of the sub-graph that stage `u` uses becomes `u/s`; loops are renamed in the same way. The writers and readers of
// its inputs and outputs are connected directly; parameters are replaced by their values. `params`: "stage.name" ->
// value, from the command line; those for uses are removed. False, after a report, if the flat graph would have more
// than `max_stages` or be too large otherwise. Declarations of sub-graphs stay in `file`, which must outlive all
// references to them.
bool expand(GraphFile& file, KernelCatalog& kernels, std::map<std::string, std::string>& params,
            std::uint64_t max_stages, Report& report);

}  // namespace woa
