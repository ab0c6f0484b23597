#include "runtime/plan/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "runtime/base/scalar.h"

namespace woa {

std::string_view to_string(ControllerKind kind) noexcept {
  switch (kind) {
    case ControllerKind::kHost: return "host";
    case ControllerKind::kCpu: return "cpu";
    case ControllerKind::kGpu: return "gpu";
    case ControllerKind::kFpga: return "fpga";
  }
  return "unknown";
}

std::string_view to_string(HeaderWriter writer) noexcept {
  switch (writer) {
    case HeaderWriter::kHost: return "host";
    case HeaderWriter::kDevice: return "device";
  }
  return "unknown";
}

std::string_view to_string(Publisher publisher) noexcept {
  switch (publisher) {
    case Publisher::kHost: return "host";
    case Publisher::kQueue: return "queue";
    case Publisher::kWorker: return "worker";
  }
  return "unknown";
}

KernelFeatures features_of(std::span<const InputPortPlan> inputs, std::span<const OutputPortPlan> outputs,
                           Stateful stateful) noexcept {
  const auto counted_input = [](const InputPortPlan& port) { return port.optional || port.gather != 0; };
  const auto counted_output = [](const OutputPortPlan& port) { return port.optional || port.many != 0; };
  return {.state = stateful != Stateful::kNo,
          .choice = std::ranges::any_of(outputs, [](const OutputPortPlan& port) { return port.one_of >= 0; }),
          .counted = std::ranges::any_of(inputs, counted_input) || std::ranges::any_of(outputs, counted_output),
          .pair = inputs.size() == 2 && outputs.size() == 1,
          .ports = inputs.empty() || inputs.size() > 2 || outputs.size() != 1};
}

bool may_publish(const StagePlan& stage) noexcept {
  return std::ranges::all_of(stage.outputs, [](const OutputPortPlan& port) {
    return port.type.is_fixed() && port.one_of < 0 && !port.optional && port.many == 0 && port.in_place < 0;
  });
}

std::string_view forwards(const Plan& plan, std::uint32_t controller) noexcept {
  const bool device = std::ranges::any_of(plan.stages, [&](const StagePlan& stage) {
    return stage.controller == controller &&
           (stage.headers == HeaderWriter::kDevice || stage.publishes != Publisher::kHost);
  });
  return device ? "device" : "host";
}

std::vector<std::string> modelled_stages(const Plan& plan) {
  std::vector<std::string> names;
  for (const StagePlan& stage : plan.stages)
    if (stage.variant.kind == kModelled) names.push_back(stage.name);
  return names;
}

Status check_movable(const Plan& plan) {
  const auto stage = std::ranges::find_if(plan.stages, [](const StagePlan& each) { return each.program_kernel != 0; });
  if (stage == plan.stages.end()) return {};
  return {Code::kUnsupported, "stage '" + stage->name + "' runs kernel '" + stage->kernel +
                                  "', functions of this program that no other process has; run the plan in this "
                                  "process (--processes one), or build a shared library of the kernel "
                                  "(docs/kernels.md)"};
}

Status check_runnable(const Plan& plan) {
  const auto stage =
      std::ranges::find_if(plan.stages, [](const StagePlan& each) { return each.variant.kind == kModelled; });
  if (stage == plan.stages.end()) return {};
  const std::size_t more = modelled_stages(plan).size() - 1;
  const bool known = stage->controller < plan.controllers.size();
  const std::string on = known ? plan.controllers[stage->controller].name : std::string("its controller");
  const std::string kind = known ? std::string(to_string(plan.controllers[stage->controller].kind)) : "device";
  return {Code::kUnsupported,
          "the plan predicts and does not run: the time of stage '" + stage->name + "' on " + on + " is modelled" +
              (more == 0   ? ""
               : more == 1 ? ", and that of another stage"
                           : ", and those of " + std::to_string(more) + " others") +
              ", and no variant of kernel '" + stage->kernel + "' runs there; remove `modelled` entries (`" + kind +
              "`) from the profile and compile again, or write the variant and measure it with `woa profile`"};
}

ControllerPlan make_controller(std::string name, const KnownBackend& backend, std::uint32_t workers) {
  return {std::move(name), backend.kind, std::string(backend.name), workers, backend.traits};
}

std::string_view to_string(ParamType type) noexcept {
  switch (type) {
    case ParamType::kInt: return "int";
    case ParamType::kFloat: return "float";
    case ParamType::kString: return "string";
    case ParamType::kBool: return "bool";
    case ParamType::kFile: return "file";
  }
  return "unknown";
}

namespace {

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), error == std::errc() ? end : text.data()};
}

}  // namespace

std::optional<std::string> normal_value(ParamType type, std::string_view text) {
  switch (type) {
    case ParamType::kInt:
      if (const auto number = parse_signed(text)) return std::to_string(*number);
      return std::nullopt;
    case ParamType::kFloat:
      if (const auto number = parse_decimal(text)) return shortest(*number);
      return std::nullopt;
    case ParamType::kBool:
      if (const auto truth = parse_bool(text)) return *truth ? "true" : "false";
      return std::nullopt;
    case ParamType::kString:
    case ParamType::kFile: break;
  }
  return std::string(text);
}

std::uint32_t PortType::variable_dims() const noexcept {
  return static_cast<std::uint32_t>(
      std::count_if(dims.begin(), dims.end(), [](const Dimension& d) { return d.size == 0; }));
}

std::uint64_t PortType::prefix_bytes() const noexcept { return variable_dims() == 0 ? 0 : kPayloadAlignment; }

std::uint64_t PortType::block_bytes() const noexcept {
  return std::max<std::uint64_t>(prefix_bytes() + in_whole_lines(max_bytes), kPayloadAlignment);
}

bool counts_payload(std::span<const ReplicaChoice> edges, std::size_t k) noexcept {
  for (std::size_t other = 0; other < edges.size(); ++other) {
    if (other == k || !edges[other].takes_all_of(edges[k])) continue;
    if (other < k || !edges[k].takes_all_of(edges[other])) return false;
  }
  return true;
}

bool same_layout(const PortType& a, const PortType& b) {
  const auto same = [](const Dimension& x, const Dimension& y) { return x.size == y.size; };
  return a.element == b.element && std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), same);
}

std::uint32_t element_bytes(std::string_view element) noexcept {
  static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 11> kElements{{{"bytes", 1},
                                                                                         {"u8", 1},
                                                                                         {"i8", 1},
                                                                                         {"u16", 2},
                                                                                         {"i16", 2},
                                                                                         {"u32", 4},
                                                                                         {"i32", 4},
                                                                                         {"u64", 8},
                                                                                         {"i64", 8},
                                                                                         {"f32", 4},
                                                                                         {"f64", 8}}};
  for (const auto& [name, bytes] : kElements) {
    if (name == element) return bytes;
  }
  return 0;
}

std::string to_string(const PortType& type) {
  if (type.dims.empty()) return type.element;
  std::string text = type.element + "[";
  for (std::size_t i = 0; i < type.dims.size(); ++i) {
    const Dimension& dim = type.dims[i];
    text += (i == 0 ? "" : ",") + (dim.size == 0 ? dim.name : std::to_string(dim.size));
  }
  return text + "]";
}

}  // namespace woa
