// woa doctor --kernel: whether a kernel stays within its memory and its contract.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "tools/woa/diagnosis.h"

namespace woa::tools {

// Runs the kernel's cpu variant in a process of its own, with random inputs of several sizes, each port between pages
// that nobody may touch. `kernel`: a name, or the path of a kernel.yaml; `params`: NAME=VALUE. A finding for each size:
// what it wrote, refused, or did wrong. Errors: there is no such kernel, a parameter is missing, or it cannot be
// loaded. Blocks, 10 s at most for a size.
Result<std::vector<Finding>> check_kernel(const std::string& kernel, const std::vector<std::string>& params);

}  // namespace woa::tools
