// The declarations of a kernel.yaml, in the form in which a plan and the loader of the kernel compare them.
//
// A plan is made for kernels as declared at that time: ports by position, types, parameters, state. A library with
// another declaration would take one port for another, or read inputs that a firing does not have.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

struct KernelDeclaration {
  std::string digest;     // of all declarations, except those only shown or only for placement
  std::string interface;  // ports and parameters in order, for messages: see describe_interface()
};

// "left: bytes, right: bytes -> sum: f64; parameters gain: float"
std::string describe_interface(std::span<const InputPortPlan> inputs, std::span<const OutputPortPlan> outputs,
                               std::span<const ParamPlan> params);

// Reads one variant ("cpu") of a kernel.yaml. kNotFound, kUnavailable: the file cannot be read. kInvalid: it is no
// kernel.yaml, or lacks the variant; the message says why. The compiler provides it (read_declaration()), because this
// layer does not know the compiler. Called by several threads at once.
using ReadDeclaration = std::function<Result<KernelDeclaration>(const std::filesystem::path&, const std::string&)>;

// Ok if the kernel of `stage` is still the one that its plan was made with. kUnsupported names both: `file`, which
// declares `here`, and the plan's declaration.
Status check_declaration(const StagePlan& stage, const KernelDeclaration& here, const std::filesystem::path& file);

}  // namespace woa
