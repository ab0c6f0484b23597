// Instances that failed, for people: failures that are alike share one report.
#pragma once

#include <vector>

#include "library/run_report.h"

namespace woa::tools {

// Prints to stderr. Failures with the same code, stage and message, numbers and file names aside, form a group: the
// first in full, then the others' numbers. `failures` are in the order of instances.
void print_failures(const std::vector<FailedInstance>& failures);

}  // namespace woa::tools
