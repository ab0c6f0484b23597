// Kernels that the program registered (woa_kernel_register()). They are never forgotten: a plan runs those that it was
// compiled with. Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "library/environment.h"
#include "runtime/controller/kernel_library.h"

namespace woa {

// The last of each name, for CompileOptions.
std::map<std::string, DescribedKernel> described_kernels();
// All of them, for RunOptions.
std::vector<ProgramKernel> program_kernels();

// Isolates the stages of `plan` with kernels of the program that worker processes can have, and makes what is sent
// there. `must`: kUnsupported names the first stage whose kernel cannot; else `say` is told once of all of them.
Status send_program_kernels(Plan& plan, std::vector<ProgramKernel>& kernels, bool must, const OnMessage& say);

}  // namespace woa
