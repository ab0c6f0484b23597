// Each kernel of the build: what its kernel.yaml says is what its folder and its library hold.
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "compiler/parse/kernel_file.h"
#include "tests/support/catch.h"
#include "woa/woa_kernel.h"

namespace woa::test {
namespace {

namespace fs = std::filesystem;

const fs::path kKernels = fs::path(WOA_BUILD_DIR) / "kernels";
const fs::path kSources = fs::path(WOA_SOURCE_DIR) / "kernels";

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Folders of the source tree that hold a kernel; a build folder may hold more, of earlier times.
std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kSources)) {
    if (fs::exists(entry.path() / "kernel.yaml")) found.push_back(kKernels / entry.path().filename());
  }
  REQUIRE(found.size() >= 16);
  return found;
}

KernelDecl declaration(const fs::path& folder) {
  Report report;
  const auto kernel = read_kernel(report.add_source("kernel.yaml", contents(folder / "kernel.yaml")), report);
  for (const Diagnostic& diagnostic : report.take()) FAIL(folder.string() + "\n" + format(diagnostic, false));
  REQUIRE(kernel.has_value());
  return *kernel;
}

void check_opencl(const fs::path& folder, const VariantPlan& variant) {
  const std::string source = contents(folder / variant.source);
  CHECK(source.find("WOA_KERNEL(" + variant.entry + ",") != std::string::npos);
}

void check_library(const KernelDecl& kernel, const woa_kernel& table) {
  CHECK(table.abi == WOA_KERNEL_ABI);
  CHECK((table.create != nullptr) == !kernel.params.empty());
  CHECK((table.state_bytes != 0) == (kernel.stateful != Stateful::kNo));
  CHECK((table.run != nullptr) == kernel.variants.contains("cpu"));
  for (const auto& [kind, variant] : kernel.variants) CHECK((table.size != nullptr) == variant.has_size);
}

}  // namespace

TEST_CASE("every kernel.yaml is accepted and names its own folder, library and sources") {
  for (const fs::path& folder : folders()) {
    const std::string name = folder.filename().string();
    INFO(name);
    const KernelDecl kernel = declaration(folder);
    CHECK(kernel.name == name);
    CHECK(kernel.library == "lib" + name + ".so");
    CHECK(kernel.variants.contains("cpu"));  // the definition of the kernel
    const auto opencl = kernel.variants.find("opencl");
    if (opencl != kernel.variants.end()) check_opencl(folder, opencl->second);
    const auto rtl = kernel.variants.find("rtl");
    if (rtl != kernel.variants.end()) CHECK(fs::exists(kSources / name / (rtl->second.core + "_core.sv")));
  }
}

TEST_CASE("every library has the functions that its kernel.yaml promises, or a reason for not being there") {
  for (const fs::path& folder : folders()) {
    INFO(folder.filename().string());
    if (fs::exists(folder / "unavailable.txt")) {
      CHECK(contents(folder / "unavailable.txt").size() > 1);
      continue;
    }
    const KernelDecl kernel = declaration(folder);
    void* library = ::dlopen((folder / kernel.library).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) FAIL(::dlerror());
    const auto entry = reinterpret_cast<woa_kernel_entry_fn>(::dlsym(library, WOA_KERNEL_ENTRY));
    REQUIRE(entry != nullptr);
    check_library(kernel, *entry());
    CHECK(::dlclose(library) == 0);
  }
}

}  // namespace woa::test
