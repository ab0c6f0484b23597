// The kernels of random programs: as functions, and described for the compiler.
#pragma once

#include <fstream>
#include <set>
#include <string>

#include "tests/integration/semantics/kernel_folder.h"
#include "tests/support/catch.h"
#include "tests/support/function_backend.h"

namespace woa::test {

// Functions of the kernels that programs use; their ports stand in tests/golden/compiler/kernels and
// tests/support/kernels.
const Functions& program_kernels();
// program_kernels() and one that keeps state of an instance; the result is for one run.
Functions stateful_program_kernels();

// True for kernels of a cpu only: they see or write more or less than a token of each port, or keep state
// (docs/kernels.md).
inline bool one_kind(const std::string& kernel) {
  static const std::set<std::string> kOnes{"cut",  "maybe", "newton", "orelse", "paste", "route",
                                           "sort", "step",  "step2",  "tally",  "triple"};
  return kOnes.contains(kernel);
}

// Descriptions of these kernels with small payloads, for both kinds of controller where they may be.
class ProgramKernels {
 public:
  ProgramKernels() {
    for (const auto& entry : stateful_program_kernels()) folder_.add(entry.first, description(entry.first));
  }
  [[nodiscard]] const std::string& path() const noexcept { return folder_.path(); }

 private:
  static std::string description(const std::string& kernel) {
    for (const char* const folder : {"/tests/golden/compiler/kernels/", "/tests/support/kernels/"}) {
      std::ifstream file(std::string(WOA_SOURCE_DIR) + folder + kernel + "/kernel.yaml");
      std::string text, line;
      while (std::getline(file, line)) {
        if (line.starts_with("  ") && text.ends_with(kTwoVariants)) continue;  // more variants
        if (line.starts_with("variants:") && !one_kind(kernel)) line = kTwoVariants, line.pop_back();
        for (const char* const size : {"1MiB", "1KiB"}) {
          for (std::size_t at = 0; (at = line.find(size)) != std::string::npos;) line.replace(at, 4, "64");
        }
        text += line + "\n";
      }
      if (!text.empty()) return text;
    }
    FAIL("no description of " << kernel);
    return {};
  }

  KernelFolder folder_;
};

}  // namespace woa::test
