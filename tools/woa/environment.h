// The surroundings of every command: its program, kernels and back-ends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"

namespace woa::tools {

// This program's own file.
std::filesystem::path program_path();
// The path of `name` in this program's folder, whether it exists or not.
std::filesystem::path program_beside(const std::string& name);
// Folders searched for kernels: WOA_KERNEL_PATH (colon-separated) first, and last `kernels` beside the program.
std::vector<std::filesystem::path> kernel_path();
// Every back-end that this program was built with.
BackendRegistry all_backends();

}  // namespace woa::tools
