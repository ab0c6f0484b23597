// Instances that failed, for people: those that failed alike are told of together.
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

// On stderr: of the failures that have code, stage and message in common, but for numbers and the names of files, the
// first in full and the numbers of the others. `failures` are in the order of instances.
void print_failures(const std::vector<FailedInstance>& failures);

}  // namespace woa::tools
