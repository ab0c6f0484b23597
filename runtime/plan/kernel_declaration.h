// What a kernel.yaml declares, in the form in which a plan and whoever loads the kernel compare it.
//
// A plan is made for kernels as they were declared then: ports by position, types, parameters, state. A library that
// goes with another declaration would take one port for another, or read inputs that a firing does not have.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

struct KernelDeclaration {
  std::string digest;     // of all that it declares, but what is only shown or only bears on placement
  std::string interface;  // ports and parameters in order, for messages: see describe_interface()
};

// "left: bytes, right: bytes -> sum: f64; parameters gain: float"
std::string describe_interface(std::span<const InputPortPlan> inputs, std::span<const OutputPortPlan> outputs,
                               std::span<const ParamPlan> params);

// Reads a kernel.yaml, of which it takes one variant ("cpu"). kNotFound, kUnavailable: the file cannot be read.
// kInvalid: it is no kernel.yaml, or lacks the variant; the message says why. The compiler has it
// (read_declaration()), which this layer does not know. Called by several threads at once.
using ReadDeclaration = std::function<Result<KernelDeclaration>(const std::filesystem::path&, const std::string&)>;

// Whether the kernel of `stage` is still the one that its plan was made with. kUnsupported names both: `file`, which
// declares `here`, and what the plan has.
Status check_declaration(const StagePlan& stage, const KernelDeclaration& here, const std::filesystem::path& file);

}  // namespace woa
