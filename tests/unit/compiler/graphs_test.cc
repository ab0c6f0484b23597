// The graphs of the tree compile with the kernels of the tree.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = WOA_SOURCE_DIR;

TEST_CASE("every graph compiles to a valid plan") {
  CompileOptions options;
  options.kernel_path = {kRoot / "kernels"};
  std::size_t graphs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "graphs")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "kernel.yaml") continue;
    if (entry.path().parent_path().filename() == "machines") continue;
    if (entry.path().parent_path() == kRoot / "graphs/parts") continue;  // for others to include
    INFO(entry.path());
    const Compilation result = compile_file(entry.path(), options);
    INFO(test::say(result));
    CHECK(result.plan.has_value());
    CHECK((result.plan && validate(*result.plan).ok()));
    CHECK(to_dot(result.plan.value_or(CertifiedPlan{})).size() > 100);
    ++graphs;
  }
  CHECK(graphs >= 12);
}

TEST_CASE("every kernel of the tree can be read") {
  const std::vector<KernelListing> kernels = list_kernels({kRoot / "kernels"});
  CHECK(kernels.size() >= 17);
  for (const KernelListing& kernel : kernels) {
    INFO(kernel.name);
    CHECK_FALSE(kernel.variants.empty());
  }
}

}  // namespace
}  // namespace woa
