// The compiler: YAML graph -> checked graph -> placement -> plan. Knows no controller: it reads kernel.yaml and machine
// files, so a graph for a GPU compiles on a laptop. Programs include this header alone; it includes the headers of
// phases that handle finished plans.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/buffers/throughput_blocks.h"
#include "compiler/certificate/certificate.h"
#include "compiler/certificate/live_blocks.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/diagnostics/pages.h"
#include "compiler/diagnostics/problems.h"
#include "compiler/emit/dot.h"
#include "compiler/explain/break_even.h"
#include "compiler/explain/sensitivity.h"
#include "compiler/options.h"
#include "compiler/parse/descriptions.h"
#include "compiler/place/call_route.h"
#include "compiler/place/solver/cost.h"
#include "compiler/verify/verify.h"
#include "runtime/base/status.h"
#include "runtime/plan/kernel_declaration.h"

namespace woa {

// Facts about a graph that do not depend on its placement.
struct GraphFacts {
  std::string hash;  // 16 digits, the same for graphs that compute the same by the same stages; profiles name it
  std::map<std::string, std::vector<ControllerKind>> kinds;  // stage -> kinds that run its kernel
  // Stage -> kinds that its kernel has a variant for, and why no back-end runs it: "keeps state".
  std::map<std::string, std::map<ControllerKind, std::string>> beyond;
};

struct Compilation {
  std::optional<CertifiedPlan> plan;    // absent if there is any error, and with only_check
  GraphFacts facts;                     // of the part of the graph that could be read
  std::vector<Diagnostic> diagnostics;  // all problems in one pass, in order of place, no cascades
  std::vector<std::string> files = {};  // read or looked for: graph, includes, kernels, machine file, profile;
                                        // and those that they name: libraries, sources, parameters
};

// Reads and compiles a graph file. Blocks; never throws. Time and memory are bounded by the size of the files, by
// CompileOptions::max_stages and placement_limit (fuzzed through compile_text). Calls share no state; with a profile
// one may fork a child for the solver. Paths in the plan are absolute.
Compilation compile_file(const std::filesystem::path& graph, const CompileOptions& options);
// compile_file() for text. Diagnostics call it `name`; its paths are relative to `folder`.
Compilation compile_text(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                         const CompileOptions& options);

// The result of check_text().
struct CheckedText {
  FileKind kind = FileKind::kOther;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> files;  // like Compilation::files
};
// Checks the text of any file of this project: a graph like compile_text(); the form of a library (a file that graphs
// include), a kernel.yaml, a machine file or a profile. Reports nothing for other files.
CheckedText check_text(const std::string& text, const std::filesystem::path& path, const CompileOptions& options);

// The result of check_description().
struct CheckedDescription {
  std::string name;  // of the kernel; empty: there is an error
  std::vector<Diagnostic> diagnostics;
};
CheckedDescription check_description(const std::string& description);

// A machine file alone.
struct MachineFile {
  bool has_controllers = false;            // it lists controllers, or links between them
  std::optional<Calibration> calibration;  // also absent if there is any error
  std::vector<Diagnostic> diagnostics;
};
MachineFile read_machine_file(const std::filesystem::path& path);

// One kernel, as `woa devices` and `woa explain` show it.
struct KernelListing {
  std::string name, summary;
  std::vector<std::string> variants;  // "cpu", "opencl", "cuda", "rtl"
  std::string reason;                 // why it cannot be used here (its library was absent at build); empty: it can
  std::string fix;                    // what to do about that
  std::optional<KernelDescription> description;  // absent if `kernel.yaml` has errors or is not built
};
// Every <folder>/<name>/kernel.yaml of the kernel path, by name; of equal names the first folder's.
std::vector<KernelListing> list_kernels(const std::vector<std::filesystem::path>& kernel_path);

// A kernel.yaml that is named by its path.
struct KernelFile {
  std::optional<KernelListing> kernel;  // absent: the file has errors
  std::vector<Diagnostic> diagnostics;
};
// Nothing: the file cannot be read, or is of another kind (check_text()).
std::optional<KernelFile> read_kernel_file(const std::filesystem::path& file);

// The declarations of the kernel.yaml at `file` and of one variant, for the loader of the kernel (RunOptions). Errors:
// those of ReadDeclaration.
Result<KernelDeclaration> read_declaration(const std::filesystem::path& file, const std::string& variant);

}  // namespace woa
