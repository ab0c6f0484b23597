// From a graph file with sub-graphs to a flat one: what comes after knows of stages and kernels only.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/graph_file.h"
#include "compiler/parse/kernel_catalog.h"

namespace woa {

// Puts the stages of every sub-graph in the place of its uses, looking up what references name (names.h). Stage `s` of
// the sub-graph that stage `u` uses becomes `u/s`; its loops likewise. What it reads and what reads it is connected
// through; parameters are replaced by their values. `params`: "stage.name" -> value, from the command line; those for
// uses are taken out. False, after a report, if the flat graph would have more than `max_stages` or be too large
// otherwise. Declarations of sub-graphs stay in `file`, which must outlive what refers to it.
bool expand(GraphFile& file, KernelCatalog& kernels, std::map<std::string, std::string>& params,
            std::uint64_t max_stages, Report& report);

}  // namespace woa
