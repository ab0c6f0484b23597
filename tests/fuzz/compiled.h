// Common to the fuzz targets of the compiler: a folder with a kernel, a small graph that uses it, and the checks of
// every answer.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/compiler.h"

namespace woa::fuzz {

inline const std::string kSmallGraph =
    "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 9}}\nstages: {s: {kernel: step, in: {x: x, y: x}}}\n"
    "outputs: {y: [s.a, s.b]}\n";

// A folder with a kernel, which goes when the process exits.
struct Folder {
  Folder() {
    std::filesystem::create_directories(path / "kernels/step");
    std::ofstream(path / "kernels/step/kernel.yaml")
        << "woa_kernel: 1\nname: step\nin: {x: {type: bytes}, y: {type: bytes}}\n"
           "out:\n  a: {type: bytes, max: 64, one_of: g}\n  b: {type: bytes, max: 64, one_of: g}\n"
           "params: {n: {type: int, default: 1, min: 0}}\nlibrary: libstep.so\n"
           "variants: {cpu: {resources: {memory: 1KiB}}}\n";
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("woa-compile-fuzz-" + std::to_string(getpid()));
};

// The folder of this process, for files that the compiler reads.
inline const std::filesystem::path& folder() {
  static const Folder folder;
  return folder.path;
}

inline std::filesystem::path write(const std::string& name, const std::string& text) {
  std::ofstream(folder() / name, std::ios::binary) << text;
  return folder() / name;
}

inline CompileOptions options() {
  CompileOptions options;
  options.kernel_path = {folder() / "kernels"};
  options.warn_of_unbuilt = true;  // no library of theirs is there
  options.max_stages = 2'000;      // a few bytes can expand to every stage allowed, which takes long
  return options;
}

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

inline void check(const Compilation& result) {
  const auto is_error = [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::kError; };
  require(result.plan.has_value() == std::ranges::none_of(result.diagnostics, is_error), "either a plan or errors");
  for (const Diagnostic& diagnostic : result.diagnostics) {
    require(!diagnostic.code.empty() && !diagnostic.text.empty(), "a diagnostic says something");
    require(!format(diagnostic, true).empty(), "a diagnostic can be printed");
  }
  if (!result.plan) return;
  require(validate(*result.plan).ok(), "a compiled plan is valid");
  require(!to_dot(*result.plan).empty(), "a compiled plan can be drawn");
  if (!result.plan->certificate) return;
  const Status verified = verify_certificate(*result.plan);
  require(verified.ok(), verified.message().c_str());
}

}  // namespace woa::fuzz
