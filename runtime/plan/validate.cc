// Some part of the runtime relies on each of these rules without checking it again.
#include "runtime/plan/validate.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "runtime/base/scalar.h"

namespace woa {
namespace validation {
namespace {

constexpr std::size_t kMaxRank = 4;              // WOA_MAX_RANK of the kernel interface
constexpr std::size_t kMaxPorts = 65536;         // of a stage; the packet's `port` has 16 bits
constexpr std::uint32_t kMaxControllers = 1024;  // of a kind
constexpr const char* kCompile = "compile the graph again with this version: woa compile GRAPH -o PLAN";

// True for cpu:N, gpu:N or fpga:N of its kind. Each number has one spelling, so no two controllers are one device.
bool is_numbered(const ControllerPlan& controller) {
  const std::string prefix = std::string(to_string(controller.kind)) + ":";
  if (!controller.name.starts_with(prefix)) return false;
  const std::string_view number = std::string_view(controller.name).substr(prefix.size());
  const auto value = parse_digits(number);
  return value && *value < kMaxControllers && number == std::to_string(*value);
}

Status check_controllers(const Plan& plan) {
  if (plan.controllers.empty() || plan.controllers[kHostController].kind != ControllerKind::kHost ||
      plan.controllers[kHostController].name != "host") {
    return broken("controllers[0] must be 'host', of kind host");
  }
  WOA_RETURN_IF_ERROR(check_names(plan.controllers, "controllers"));
  for (std::size_t i = 0; i < plan.controllers.size(); ++i) {
    const ControllerPlan& controller = plan.controllers[i];
    const std::string place = "controller " + in_quotes(controller.name);
    if (i != kHostController && controller.kind == ControllerKind::kHost)
      return broken(place, ": there is one host only");
    if (i != kHostController && !is_numbered(controller))
      return broken(place, ": expected ", std::string(to_string(controller.kind)),
                    ":N, with a number below 1024 and no leading zeros");
    if (controller.backend.empty()) return broken(place, ": no backend is named");
    const bool all = controller.workers == kAllWorkers && controller.kind == ControllerKind::kCpu;
    if (!all && (controller.workers < 1 || controller.workers > kMaxWorkers)) {
      return broken(place, ": workers is ", std::to_string(controller.workers), ", expected 1 to ",
                    std::to_string(kMaxWorkers));
    }
    if (controller.traits.keeps_payloads() && controller.traits.writes_packets)
      return broken(place, ": its device writes packets and keeps payloads, which no version does; ", kCompile);
    if (controller.traits.publishes != Publisher::kHost && controller.traits.writes_packets)
      return broken(place, ": its device numbers packets and publishes the host's, which no version does; ", kCompile);
    if (controller.traits.joins && !controller.traits.writes_packets)
      return broken(place, ": its device joins stages and writes no packets, which no version does; ", kCompile);
  }
  return {};
}

Status check_dimensions(const PortType& type, const std::string& place) {
  std::uint64_t fixed_bytes = element_bytes(type.element);
  for (const Dimension& dim : type.dims) {
    if (dim.size == 0 && dim.name.empty()) return broken(place, ": a variable dimension has no name");
    if (dim.size == 0) continue;
    if (fixed_bytes > kMaxRegionBytes / dim.size) return broken(place, ": the fixed dimensions are too large");
    fixed_bytes *= dim.size;
  }
  if (!type.dims.empty() && type.variable_dims() == 0 && type.max_bytes != fixed_bytes) {
    return broken(place, ": ", to_string(type), " has ", std::to_string(fixed_bytes), " bytes, but max_bytes is ",
                  std::to_string(type.max_bytes));
  }
  return {};
}

Status check_type(const PortType& type, const std::string& place) {
  if (element_bytes(type.element) == 0) return broken(place, ": unknown element type ", in_quotes(type.element));
  if ((type.element == "bytes") != type.dims.empty() || type.dims.size() > kMaxRank) {
    return broken(place, ": ", to_string(type), " must have 1 to 4 dimensions, and 'bytes' none");
  }
  if (type.max_bytes >= kMaxRegionBytes) return broken(place, ": max_bytes must stay under 256 GiB");
  return check_dimensions(type, place);
}

// Checks a port of up to `most` elements, whose numbers are a field of the tag; 0: one token, no field.
Status check_elements(std::uint32_t most, std::uint32_t shift, std::uint32_t bits, const std::string& place) {
  if (most == 0) return (shift | bits) == 0 ? Status() : broken(place, ": a field for the numbers of no elements");
  if (most > kMaxElements) return broken(place, ": over ", std::to_string(kMaxElements), " elements");
  if (!in_tag(shift, bits) || (std::uint64_t{most} - 1) >> bits != 0)
    return broken(place, ": the numbers of ", std::to_string(most), " elements do not fit their field of the tag");
  return {};
}

Status check_ports(const StagePlan& stage, const std::string& place) {
  WOA_RETURN_IF_ERROR(check_names(stage.inputs, place + ", inputs"));
  WOA_RETURN_IF_ERROR(check_names(stage.outputs, place + ", outputs"));
  if (stage.inputs.size() > kMaxPorts || stage.outputs.size() > kMaxPorts) return broken(place, ": over 65536 ports");
  for (const InputPortPlan& port : stage.inputs) {
    WOA_RETURN_IF_ERROR(check_type(port.type, place + ", input " + in_quotes(port.name)));
    if (!port.hold && port.hold_mask != 0)
      return broken(place, ", input ", in_quotes(port.name), ": hold_mask without hold");
    if (!port.hold && port.renewed) return broken(place, ", input ", in_quotes(port.name), ": renewed without hold");
  }
  for (const InputPortPlan& port : stage.inputs) {
    const std::string port_place = place + ", input " + in_quotes(port.name);
    WOA_RETURN_IF_ERROR(check_elements(port.gather, port.index_shift, port.index_bits, port_place));
    if (port.gather != 0 && (port.hold || stage.role == StageRole::kSink))
      return broken(port_place, ": neither a held input nor the sink gathers");
  }
  for (const OutputPortPlan& port : stage.outputs) {
    const std::string port_place = place + ", output " + in_quotes(port.name);
    WOA_RETURN_IF_ERROR(check_type(port.type, port_place));
    if (port.one_of < -1 || (port.one_of != -1 && stage.role != StageRole::kKernel)) {
      return broken(port_place, ": one_of is a group number of a kernel stage, or -1");
    }
    if (port.optional && (port.one_of != -1 || stage.role == StageRole::kSource)) {
      return broken(port_place, ": only a port of a kernel or relay that is in no one_of group is optional");
    }
    WOA_RETURN_IF_ERROR(check_elements(port.many, port.index_shift, port.index_bits, port_place));
    const bool relay = stage.role == StageRole::kRelay;
    if (port.many != 0 &&
        (port.one_of != -1 || (port.optional && !relay) || port.in_place != -1 || stage.role == StageRole::kSource)) {
      return broken(port_place, ": a scatter's port is of a kernel or relay, always written, and in memory of its own");
    }
  }
  if (stage.role != StageRole::kSink && stage.outputs.empty())
    return broken(place, ": no output, so nothing tells the sink");
  const auto held = [](const InputPortPlan& port) { return port.hold; };
  if (stage.role != StageRole::kSource && std::all_of(stage.inputs.begin(), stage.inputs.end(), held)) {
    return broken(place, ": no input that is not held, so nothing would make it fire");
  }
  return {};
}

Status check_params(const StagePlan& stage, const std::string& place) {
  WOA_RETURN_IF_ERROR(check_names(stage.params, place + ", params"));
  for (const ParamPlan& param : stage.params) {
    if (!param.secret_env.empty() && !param.value.empty()) {
      return broken(place, ", param ", in_quotes(param.name), ": a secret's value must not stand in a plan");
    }
    if (param.choice < -1) return broken(place, ", param ", in_quotes(param.name), ": its choice is no position");
    if (param.secret_env.empty() && normal_value(param.type, param.value) != param.value) {
      return broken(place, ", param ", in_quotes(param.name), ": its value is not spelt as a plan spells one of type ",
                    std::string(to_string(param.type)));
    }
  }
  return {};
}

Status check_relay(const StagePlan& stage, const std::string& place) {
  if (stage.inputs.size() != stage.outputs.size()) return broken(place, ": a relay has as many outputs as inputs");
  for (std::size_t i = 0; i < stage.inputs.size(); ++i) {
    if (!same_layout(stage.inputs[i].type, stage.outputs[i].type)) {
      return broken(place, ": the relay's output ", in_quotes(stage.outputs[i].name), " is not of its input's type");
    }
    const OutputPortPlan& out = stage.outputs[i];
    const InputPortPlan& in = stage.inputs[i];
    if (in.gather != out.many || in.index_shift != out.index_shift || in.index_bits != out.index_bits)
      return broken(place, ": the relay's output ", in_quotes(out.name), " passes on what its input gathers");
    if (stage.inputs[i].optional != stage.outputs[i].optional) {
      return broken(place, ": the relay's output ", in_quotes(stage.outputs[i].name),
                    " must be optional if its input is, and only then");
    }
  }
  return {};
}

// A driver refuses other blocks at the first launch, in the middle of a run.
Status check_block(const std::vector<std::uint32_t>& block, const std::string& place) {
  std::uint64_t threads = block.size() > kMaxWorkDims ? 0 : 1;
  for (const std::uint32_t extent : block) threads = extent > kMaxBlockThreads ? 0 : threads * extent;
  if (threads >= 1 && threads <= kMaxBlockThreads) return {};
  return broken(place, ": a block has up to ", std::to_string(kMaxWorkDims), " extents and 1 to ",
                std::to_string(kMaxBlockThreads), " threads");
}

Status check_kernel(const StagePlan& stage, const std::string& place) {
  if (stage.controller == kHostController) return broken(place, ": a kernel cannot run on the host controller");
  if (stage.kernel.empty()) return broken(place, ": no kernel is named");
  if (stage.variant.kind.empty()) return broken(place, ": no variant is chosen");
  WOA_RETURN_IF_ERROR(check_block(stage.variant.block, place));
  return check_params(stage, place);
}

Status check_role(const StagePlan& stage, std::size_t id, const std::string& place) {
  if ((stage.role == StageRole::kSource) != (id == kSourceStage)) return broken(place, ": stage 0 alone is the source");
  if ((stage.role == StageRole::kSink) != (id == kSinkStage)) return broken(place, ": stage 1 alone is the sink");
  if (stage.role == StageRole::kKernel) return check_kernel(stage, place);
  if (!stage.kernel.empty()) return broken(place, ": only kernel stages have a kernel");
  if (stage.role == StageRole::kRelay) return check_relay(stage, place);
  if (stage.controller != kHostController) return broken(place, ": source and sink must be on the host");
  if (stage.role == StageRole::kSource && !stage.inputs.empty()) return broken(place, ": the source has no inputs");
  if (stage.role == StageRole::kSink && !stage.outputs.empty()) return broken(place, ": the sink has no outputs");
  return {};
}

// "host", "host or the queue", ...
std::string up_to(Publisher last) {
  std::string list(to_string(Publisher::kHost));
  for (const Publisher more : {Publisher::kQueue, Publisher::kWorker})
    if (more <= last) list.append(" or the ").append(to_string(more));
  return list;
}

// A device publishes packets of kernels alone, and only those whose headers can be written before the kernel runs.
Status check_publisher(const StagePlan& stage, const ControllerPlan& controller, const std::string& place) {
  if (stage.publishes == Publisher::kHost) return {};
  const Publisher able = stage.role == StageRole::kKernel ? controller.traits.publishes : Publisher::kHost;
  if (stage.publishes > able)
    return broken(place, ": its packets are published by the ", to_string(stage.publishes), ", expected the ",
                  up_to(able), " for its role and the back-end of ", in_quotes(controller.name), "; ", kCompile);
  if (!may_publish(stage))
    return broken(place, ": its packets are published by the ", to_string(stage.publishes),
                  ", expected the host for outputs that are not all of a fixed size, always written, one token each, "
                  "in memory of their own; ",
                  kCompile);
  return {};
}

// A device that writes packets writes those of all its kernels, and of nothing else.
Status check_packets(const Plan& plan, const StagePlan& stage, const std::string& place) {
  const ControllerPlan& controller = plan.controllers[stage.controller];
  const HeaderWriter expected = stage.role == StageRole::kKernel ? controller.traits.headers() : HeaderWriter::kHost;
  if (stage.headers != expected)
    return broken(place, ": its headers are written by the ", to_string(stage.headers), ", expected the ",
                  to_string(expected), " for its role and the back-end of ", in_quotes(controller.name), "; ",
                  kCompile);
  return check_publisher(stage, controller, place);
}

Status check_isolation(const Plan& plan, const StagePlan& stage, const std::string& place) {
  if (stage.state_bytes >= kMaxRegionBytes) return broken(place, ": state must stay under 256 GiB");
  if (!stage.isolated) return stage.limit_ns == 0 ? Status() : broken(place, ": a limit, but it is not isolated");
  if (stage.role != StageRole::kKernel || plan.controllers[stage.controller].kind != ControllerKind::kCpu)
    return broken(place, ": only a kernel on a cpu controller is isolated");
  if (stage.stateful != Stateful::kNo && stage.state_bytes == 0)
    return broken(place, ": isolated, but the size of its state is unknown");
  const auto in_place = [](const OutputPortPlan& port) { return port.in_place != -1; };
  if (std::ranges::any_of(stage.outputs, in_place)) return broken(place, ": isolated, but it writes in place");
  return {};
}

Status check_stages(const Plan& plan) {
  if (plan.stages.size() <= kSinkStage) return broken("stages[0] must be the source and stages[1] the sink");
  WOA_RETURN_IF_ERROR(check_names(plan.stages, "stages"));
  std::size_t outputs = 0;
  for (std::size_t id = 0; id < plan.stages.size(); ++id) {
    const StagePlan& stage = plan.stages[id];
    const std::string place = "stage " + in_quotes(stage.name);
    if (stage.controller >= plan.controllers.size()) {
      return broken(place, ": controller ", std::to_string(stage.controller), " does not exist");
    }
    WOA_RETURN_IF_ERROR(check_role(stage, id, place));
    WOA_RETURN_IF_ERROR(check_packets(plan, stage, place));
    WOA_RETURN_IF_ERROR(check_ports(stage, place));
    if (stage.scratch_bytes >= kMaxRegionBytes) return broken(place, ": scratch must stay under 256 GiB");
    WOA_RETURN_IF_ERROR(check_isolation(plan, stage, place));
    outputs += stage.outputs.size();
  }
  if (outputs > kMaxOutputPorts) {
    return broken("there are ", std::to_string(outputs), " output ports, at most ", std::to_string(kMaxOutputPorts),
                  " can be numbered");
  }
  return {};
}

}  // namespace

}  // namespace validation

Status validate(const Plan& plan) {
  using namespace validation;
  WOA_RETURN_IF_ERROR(validate_texts(plan));  // first: the others show names
  if (plan.graph.empty() || plan.model.empty()) return broken("graph and model must be named");
  if (plan.window < 1 || plan.window > kMaxWindow) {
    return broken("window is ", std::to_string(plan.window), ", expected 1 to ", std::to_string(kMaxWindow));
  }
  WOA_RETURN_IF_ERROR(check_controllers(plan));
  WOA_RETURN_IF_ERROR(check_stages(plan));
  WOA_RETURN_IF_ERROR(validate_edges(plan));
  WOA_RETURN_IF_ERROR(validate_in_place(plan));
  return validate_on_card(plan);
}

}  // namespace woa
