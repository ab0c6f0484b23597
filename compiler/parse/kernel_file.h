// kernel.yaml as a value (docs/kernels.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/machine.h"
#include "compiler/parse/param_decl.h"
#include "compiler/parse/resources.h"
#include "runtime/plan/plan.h"

namespace woa {

struct KernelDecl {
  std::string name, summary;
  Place place;  // of the file
  std::vector<InputPortPlan> inputs;
  // `gather` of a declared input is 1. The graph says which scatter it ends, and so how many elements.
  std::vector<OutputPortPlan> outputs;  // never empty: a kernel without outputs gets `done`
  bool outputs_are_implicit = false;    // `done` was added
  std::vector<std::string> groups;      // names of one_of groups, by number
  std::vector<ParamDecl> params;
  std::string library;
  Stateful stateful = Stateful::kNo;
  bool serial = false;  // one firing at a time
  std::uint64_t scratch_bytes = 0;
  std::uint64_t state_bytes = 0;                              // of one state, which holds no pointers; 0: not declared
  bool isolate = false;                                       // it asks for worker processes
  std::vector<NeedUse> needs;                                 // capabilities of the controller
  std::map<std::string, VariantPlan, std::less<>> variants;   // by kind: cpu, opencl, cuda, rtl
  std::map<std::string, ResourceUse, std::less<>> resources;  // that a variant takes, by kind; missing: unknown
};

// kFolder: a kernel.yaml with its library beside it. kProgram: the description of functions of the program itself, with
// a cpu variant alone and no library.
enum class KernelHome : std::uint8_t { kFolder, kProgram };
// Nothing, after a report, if the source is not a usable kernel.yaml.
std::optional<KernelDecl> read_kernel(std::uint32_t source, Report& report, KernelHome home = KernelHome::kFolder);

}  // namespace woa
