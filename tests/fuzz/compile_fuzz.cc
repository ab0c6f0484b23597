// Any bytes, as a graph, as a kernel.yaml that a graph names, as a machine file and as a profile: the compiler must
// answer with a plan that passes validate(), or with diagnostics, and never crash, hang or throw.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/compiler.h"

namespace {

namespace fs = std::filesystem;

// A folder of this process for files that the compiler reads; with one kernel that graphs may use.
const fs::path& folder() {
  static const fs::path path = [] {
    const fs::path made = fs::temp_directory_path() / ("woa-compile-fuzz-" + std::to_string(getpid()));
    fs::create_directories(made / "kernels/step");
    std::ofstream(made / "kernels/step/kernel.yaml")
        << "woa_kernel: 1\nname: step\nin: {x: {type: bytes}, y: {type: bytes}}\n"
           "out:\n  a: {type: bytes, max: 64, one_of: g}\n  b: {type: bytes, max: 64, one_of: g}\n"
           "params: {n: {type: int, default: 1, min: 0}}\nlibrary: libstep.so\nvariants: {cpu: {}}\n";
    return made;
  }();
  return path;
}

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

void check(const woa::Compilation& result) {
  require(result.plan.has_value() == result.diagnostics.empty(), "either a plan or diagnostics");
  for (const woa::Diagnostic& diagnostic : result.diagnostics) {
    require(!diagnostic.code.empty() && !diagnostic.text.empty(), "a diagnostic says something");
    require(!woa::format(diagnostic, true).empty(), "a diagnostic can be printed");
  }
  if (!result.plan) return;
  require(woa::validate(*result.plan).ok(), "a compiled plan is valid");
  require(!woa::to_dot(*result.plan).empty(), "a compiled plan can be drawn");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  woa::CompileOptions options;
  options.kernel_path = {folder() / "kernels"};
  const std::string small =
      "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 9}}\nstages: {s: {kernel: step, in: {x: x, y: x}}}\n"
      "outputs: {y: [s.a, s.b]}\n";
  if (data[0] % 8 == 7) {
    std::ofstream(folder() / "profile.json", std::ios::binary) << text;
    options.profile = folder() / "profile.json";
    check(woa::compile_text(small, "graph.yaml", folder(), options));
  } else if (data[0] % 4 == 1) {
    std::ofstream(folder() / "own.yaml", std::ios::binary) << text;
    check(
        woa::compile_text("woa: 1\ngraph: g\nkernels: [own.yaml]\ninputs: {x: {type: bytes, max: 9}}\n"
                          "stages: {s: {kernel: own, in: {in: x}}}\noutputs: {y: s.out}\n",
                          "graph.yaml", folder(), options));
  } else if (data[0] % 4 == 2) {
    std::ofstream(folder() / "machine.yaml", std::ios::binary) << text;
    options.machine = folder() / "machine.yaml";
    check(woa::compile_text(small, "graph.yaml", folder(), options));
  } else {
    check(woa::compile_text(text, "graph.yaml", folder(), options));
  }
  return 0;
}
