// The files that a plan needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa {

struct ReadFile {
  std::string reason;  // why it is read: "--profile"
  std::filesystem::path path;
};

// The files that a run of the plan reads: kernels with their libraries and sources, and parameters that are files.
std::vector<ReadFile> read_by(const Plan& plan);

}  // namespace woa
