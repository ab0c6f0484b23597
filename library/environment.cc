#include "library/environment.h"

#include <link.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "controllers/cpu/register.h"
#include "controllers/fpga/verilator/register.h"
#include "controllers/fpga/xrt/register.h"
#include "controllers/gpu/cuda/register.h"
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

std::vector<fs::path> folders_of(const char* variable) {
  const char* const list = std::getenv(variable);
  std::istringstream stream(list == nullptr ? "" : list);
  std::vector<fs::path> folders;
  for (std::string folder; std::getline(stream, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

// The folder of the own file. A program that holds libwoa.a may lie anywhere: then that of the `woa` in PATH, too.
std::vector<fs::path> homes() {
  std::vector<fs::path> found{own_file().parent_path()};
  std::error_code error;
  for (const fs::path& folder : folders_of("PATH")) {
    if (!fs::is_regular_file(folder / "woa", error)) continue;
    found.push_back(fs::canonical(folder / "woa", error).parent_path());
    break;
  }
  return found;
}

// The first of these places below a home that `fits`. Else one in a folder that exists, for the error that follows.
template <typename Fits>
fs::path beside(const std::vector<fs::path>& places, Fits fits) {
  const std::vector<fs::path> folders = homes();
  fs::path absent = folders.front() / places.front();
  std::error_code error;
  for (const fs::path& folder : folders)
    for (const fs::path& place : places)
      if (fits(folder / place, error)) return (folder / place).lexically_normal();
  for (const fs::path& place : places)
    if (const fs::path path = folders.front() / place; fs::is_directory(path.parent_path(), error)) absent = path;
  return absent.lexically_normal();
}

}  // namespace

fs::path program(const std::string& name) {
  return beside({name, fs::path(WOA_LIB_TO_BIN) / name},
                [](const fs::path& path, std::error_code& error) { return fs::is_regular_file(path, error); });
}

fs::path data_folder(const std::string& name) {
  return beside({name, fs::path("woa") / name, fs::path(WOA_BIN_TO_LIB) / "woa" / name},
                [](const fs::path& path, std::error_code& error) { return fs::is_directory(path, error); });
}

fs::path include_folder() {
  std::error_code error;
  for (const fs::path& home : homes()) {
    for (fs::path above = home; above.has_relative_path(); above = above.parent_path())
      if (fs::is_regular_file(above / "include" / "woa" / "woa_kernel.h", error)) return above / "include";
  }
  return {};
}

std::vector<fs::path> kernel_path() {
  std::vector<fs::path> folders = folders_of("WOA_KERNEL_PATH");
  folders.push_back(data_folder("kernels"));
  return folders;
}

BackendRegistry all_backends(bool guarded, Children::Program worker) {
  if (worker.command.empty()) {
    worker.command = {program("woa").string(), kWorkerCommand};
    if (guarded) worker.command.emplace_back(kGuardOption);
  }
  BackendRegistry registry;
  for (BackendFactory& factory : std::vector{cpu_factory({guarded, std::move(worker)}), opencl_factory(),
                                             cuda_factory(), verilator_factory(), xrt_factory()}) {
    (void)registry.add(std::move(factory));  // names differ: nothing to refuse
  }
  return registry;
}

}  // namespace woa
