#include "tools/woa/environment.h"

#include <cstdlib>
#include <sstream>

#include "controllers/cpu/register.h"
#include "controllers/fpga/verilator/register.h"
#include "controllers/gpu/opencl/register.h"

namespace woa::tools {

std::filesystem::path program_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::filesystem::path program_beside(const std::string& name) { return program_path().parent_path() / name; }

std::vector<std::filesystem::path> kernel_path() {
  std::vector<std::filesystem::path> folders;
  if (const char* list = std::getenv("WOA_KERNEL_PATH"); list != nullptr) {
    std::istringstream stream(list);
    for (std::string folder; std::getline(stream, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  folders.push_back(program_beside("kernels"));
  return folders;
}

BackendRegistry all_backends() {
  BackendRegistry registry;
  for (BackendFactory& factory : std::vector{cpu_factory(), opencl_factory(), verilator_factory()}) {
    (void)registry.add(std::move(factory));  // names differ: nothing to refuse
  }
  return registry;
}

}  // namespace woa::tools
