#include "compiler/parse/machine_file.h"

#include <utility>

#include "compiler/parse/calibration.h"
#include "compiler/parse/reader.h"

namespace woa {
namespace {

constexpr std::uint64_t kMaxControllerNumber = 1023;
constexpr std::uint64_t kMaxLanes = 1024;

std::string_view backend_of(ControllerKind kind) {
  switch (kind) {
    case ControllerKind::kHost: return "host";
    case ControllerKind::kCpu: return "cpu";
    case ControllerKind::kGpu: return "opencl";
    case ControllerKind::kFpga: return "verilator";
  }
  return "";
}

void read_controller(const YamlNode& key, const YamlNode& value, Machine& machine, Report& report) {
  const std::optional<ControllerName> name = parse_controller(key.text);
  if (!name || !name->number) {
    report.error(problem::kBadName, key.place, cat(quote(key.text), " is not the name of a controller"),
                 "write `cpu:N`, `gpu:N` or `fpga:N`");
    return;
  }
  ControllerPlan controller = default_controller(name->kind, *name->number);
  const MapReader map(&value, cat("controller ", quote(key.text)), {"lanes", "backend"}, report);
  if (const YamlNode* lanes = map.get("lanes")) {
    if (name->kind != ControllerKind::kCpu) {
      report.error(problem::kBadValue, lanes->place,
                   cat("`lanes` is for cpu controllers, ", quote(key.text), " has none"), "leave it out");
    }
    controller.lanes = static_cast<std::uint32_t>(read_integer(*lanes, "`lanes`", 1, kMaxLanes, report).value_or(1));
  }
  if (const YamlNode* backend = map.get("backend"); backend != nullptr && backend->text != controller.backend) {
    report.error(problem::kNotSupported, backend->place,
                 cat("backend ", quote(backend->text), " is not supported yet by this version"),
                 cat("write ", quote(controller.backend), ", or leave it out"));
  }
  machine.controllers.push_back(std::move(controller));
}

}  // namespace

std::optional<ControllerName> parse_controller(std::string_view text) {
  ControllerName name;
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind == "cpu") {
    name.kind = ControllerKind::kCpu;
  } else if (kind == "gpu") {
    name.kind = ControllerKind::kGpu;
  } else if (kind == "fpga") {
    name.kind = ControllerKind::kFpga;
  } else if (text == "host") {
    name.kind = ControllerKind::kHost;
  } else {
    return std::nullopt;
  }
  if (colon == std::string_view::npos) return name;
  const std::string_view digits = text.substr(colon + 1);
  const auto number = digits.starts_with("0") && digits.size() > 1 ? std::nullopt : parse_integer(digits);
  if (!number || *number > kMaxControllerNumber) return std::nullopt;
  name.number = static_cast<std::uint32_t>(*number);
  return name;
}

ControllerPlan default_controller(ControllerKind kind, std::uint32_t number) {
  return {cat(to_string(kind), ":", number), kind, std::string(backend_of(kind)), 1};
}

Machine default_machine() {
  return {{default_controller(ControllerKind::kCpu, 0), default_controller(ControllerKind::kCpu, 1),
           default_controller(ControllerKind::kGpu, 0), default_controller(ControllerKind::kFpga, 0)},
          true};
}

std::optional<Machine> read_machine(std::uint32_t source, Report& report) {
  const std::optional<YamlNode> root = parse_yaml(source, report);
  if (!root || !expect_map(*root, "a machine file", "`woa_machine: 1` and `controllers:`", report) ||
      !expect_kind(*root, "woa_machine", report)) {
    return std::nullopt;
  }
  const MapReader map(&*root, "a machine file", {"woa_machine", "controllers", "calibration"}, report);
  check_version(map, "woa_machine", report);
  Machine machine;
  if (const YamlNode* calibration = map.get("calibration")) {
    machine.calibration = read_calibration(*calibration, report);
    if (map.get("controllers") == nullptr) {  // measured, but not said to be all that there is
      Machine any = default_machine();
      any.calibration = std::move(machine.calibration);
      return any;
    }
  }
  const YamlNode* controllers = map.need("controllers", "controllers: {\"cpu:0\": {lanes: 1}}");
  if (controllers == nullptr || !expect_map(*controllers, "`controllers`", "`cpu:0: {lanes: 1}`", report))
    return machine;
  for (std::size_t i = 0; i < controllers->keys.size(); ++i) {
    read_controller(controllers->keys[i], controllers->items[i], machine, report);
  }
  return machine;
}

}  // namespace woa
