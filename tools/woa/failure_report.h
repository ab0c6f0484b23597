// Instances that failed, for people: failures that are alike share one report.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/node/run.h"

namespace woa::tools {

struct FailedInstance {
  std::uint64_t instance;
  Failure failure;
  std::vector<std::pair<std::string, std::string>> inputs = {};  // by name: the file or literal that it read
};

// Prints to stderr. Failures with the same code, stage and message, numbers and file names aside, form a group: the
// first in full, then the others' numbers. `failures` are in the order of instances.
void print_failures(const std::vector<FailedInstance>& failures);

}  // namespace woa::tools
