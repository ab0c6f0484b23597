// What the YAML parser complains of, said to somebody who writes a graph.
#pragma once

#include <string>

#include "compiler/report.h"

namespace woa {

// Reports `complaint`, the parser's own words at `place` (line 0: nowhere), in ours: what is wrong, and the bracket or
// quote that was opened before and is not closed.
void report_syntax(const std::string& complaint, const Place& place, Report& report);

}  // namespace woa
