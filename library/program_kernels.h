// Kernels that the program registered (woa_kernel_register()). They are never forgotten: a plan runs those that it was
// compiled with. Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/controller/kernel_library.h"

namespace woa {

// The last of each name, for CompileOptions.
std::map<std::string, DescribedKernel> described_kernels();
// All of them, for RunOptions.
std::vector<ProgramKernel> program_kernels();

}  // namespace woa
