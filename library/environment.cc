#include "library/environment.h"

#include <link.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "controllers/cpu/register.h"
#include "controllers/fpga/verilator/register.h"
#include "controllers/gpu/opencl/register.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

// The name of the loaded object that `address` lies in: empty for the program itself.
struct Search {
  std::uintptr_t address;
  std::string name = {};
};

int look_at_object(dl_phdr_info* info, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
    if (search.address < begin || search.address >= begin + info->dlpi_phdr[k].p_memsz) continue;
    search.name = info->dlpi_name;
    return 1;
  }
  return 0;
}

// The file that this code was loaded from: libwoa.so, or the program that it is a part of.
fs::path own_file() {
  Search search{reinterpret_cast<std::uintptr_t>(&look_at_object)};
  dl_iterate_phdr(look_at_object, &search);
  std::error_code error;
  const fs::path named = search.name.empty() ? fs::path("/proc/self/exe") : fs::path(search.name);
  const fs::path real = fs::canonical(named, error);
  return error ? fs::read_symlink("/proc/self/exe", error) : real;
}

// The first of these places beside the own file that exists; else the first.
fs::path beside(const std::array<fs::path, 3>& places) {
  const fs::path folder = own_file().parent_path();
  std::error_code error;
  for (const fs::path& place : places)
    if (fs::exists(folder / place, error)) return (folder / place).lexically_normal();
  return folder / places.front();
}

}  // namespace

fs::path program(const std::string& name) { return beside({name, fs::path(WOA_LIB_TO_BIN) / name, name}); }

fs::path data_folder(const std::string& name) {
  return beside({name, fs::path("woa") / name, fs::path(WOA_BIN_TO_LIB) / "woa" / name});
}

std::vector<fs::path> kernel_path() {
  std::vector<fs::path> folders;
  if (const char* list = std::getenv("WOA_KERNEL_PATH"); list != nullptr) {
    std::istringstream stream(list);
    for (std::string folder; std::getline(stream, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  folders.push_back(data_folder("kernels"));
  return folders;
}

BackendRegistry all_backends() {
  BackendRegistry registry;
  for (BackendFactory& factory : std::vector{cpu_factory(), opencl_factory(), verilator_factory()}) {
    (void)registry.add(std::move(factory));  // names differ: nothing to refuse
  }
  return registry;
}

}  // namespace woa
