#include "runtime/plan/kernel_declaration.h"

namespace woa {
namespace {

template <class Item, class Describe>
std::string in_order(std::span<const Item> items, const Describe& describe) {
  std::string text;
  for (const Item& item : items) text.append(text.empty() ? "" : ", ").append(item.name + ": ").append(describe(item));
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string describe_interface(std::span<const InputPortPlan> inputs, std::span<const OutputPortPlan> outputs,
                               std::span<const ParamPlan> params) {
  const auto element = [](const auto& port) { return port.type.element; };
  const std::string ports = in_order(inputs, element) + " -> " + in_order(outputs, element);
  if (params.empty()) return ports;
  return ports + "; parameters " + in_order(params, [](const ParamPlan& param) { return to_string(param.type); });
}

Status check_declaration(const StagePlan& stage, const KernelDeclaration& here, const std::filesystem::path& file) {
  if (here.digest == stage.declaration) return {};
  const std::string planned = describe_interface(stage.inputs, stage.outputs, stage.params);
  const bool alike = planned == here.interface;
  const std::string difference = alike ? "both have `" + planned + "`, but other types, bounds, state or variants"
                                       : "the file declares `" + here.interface + "`, the plan has `" + planned + "`";
  return {Code::kUnsupported, file.string() + " (declaration " + here.digest +
                                  ") is not the kernel that the plan was made with (declaration " + stage.declaration +
                                  "): " + difference +
                                  "; compile the graph again (woa compile GRAPH -o PLAN), or put the folder of the "
                                  "plan's kernel first in WOA_KERNEL_PATH"};
}

}  // namespace woa
