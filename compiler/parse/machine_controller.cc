#include "compiler/parse/machine_controller.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/parse/reader.h"
#include "compiler/parse/resources.h"

namespace woa {
namespace {

constexpr std::uint64_t kMaxLanes = 1024;
constexpr std::uint64_t kMostPrice = 1'000'000'000'000;
constexpr std::uint64_t kMostPower_mw = 1'000'000'000'000;
constexpr std::uint64_t kMostClock_hz = 1'000'000'000'000;

void read_lanes(const YamlNode& lanes, MachineController& controller, Report& report) {
  if (controller.plan.kind != ControllerKind::kCpu) {
    report.error(problem::kBadValue, lanes.place,
                 cat("`lanes` is for cpu controllers, ", quote(controller.plan.name), " has none"), "leave it out");
  }
  controller.plan.lanes = static_cast<std::uint32_t>(read_integer(lanes, "`lanes`", 1, kMaxLanes, report).value_or(1));
}

void check_backend(const YamlNode& backend, const MachineController& controller, Report& report) {
  const auto name = read_text(backend, "`backend`", report);
  if (!name || *name == controller.plan.backend) return;
  report.error(problem::kNotSupported, backend.place,
               cat("backend ", quote(backend.text), " is not supported yet by this version"),
               cat("write ", quote(controller.plan.backend), ", or leave it out"));
}

// In place of those that the kind has without the key.
void read_capabilities(const YamlNode& node, MachineController& controller, Report& report) {
  if (!expect_list(node, "`capabilities`", "[syscalls]", report)) return;
  controller.capabilities.clear();
  for (const YamlNode& item : node.items) {
    const auto name = read_name(item, "the name of a capability", report);
    if (!name) continue;
    if (std::ranges::find(controller.capabilities, *name) != controller.capabilities.end()) {
      report.error(problem::kBadValue, item.place, cat("capability ", quote(*name), " is listed twice"), "remove one");
    } else {
      controller.capabilities.push_back(*name);
    }
  }
}

void read_cores(const YamlNode& node, CoreUses& cores, MachineController& controller, Report& report) {
  const auto name = read_name(node, "the name of a group of cores", report);
  if (!name) return;
  if (cores.declared.contains(*name)) {
    controller.cores = *name;
  } else {
    cores.unknown[*name].push_back(node.place);
  }
}

void read_figures(const MapReader& map, MachineController& controller, Report& report) {
  static constexpr std::array<Unit, 3> kWatts{{{"mW", 1}, {"W", 1'000}, {"kW", 1'000'000}}};
  static constexpr std::array<Unit, 4> kHertz{{{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}}};
  if (const YamlNode* price = map.get("price"))
    controller.price = read_integer(*price, "`price`", 0, kMostPrice, report);
  if (const YamlNode* power = map.get("power"))
    controller.power =
        read_quantity(*power, "`power`", kWatts, 0, kMostPower_mw, "a power such as `700W` or `500mW`", report);
  if (const YamlNode* clock = map.get("clock"))
    controller.clock_hz =
        read_quantity(*clock, "`clock`", kHertz, 1, kMostClock_hz, "a clock such as `250MHz`", report);
}

}  // namespace

void report_unknown_cores(const CoreUses& cores, Report& report) {
  std::vector<std::string> names;
  for (const auto& [group, count] : cores.declared) names.push_back(group);
  for (const auto& [name, places] : cores.unknown)
    report.error(problem::kUnknownCores, places.front(), cat("there is no group of cores ", quote(name)),
                 names.empty() ? cat("declare it at the top of the file: `cores: {", name, ": 4}`")
                               : suggest(name, names, "groups under `cores`"),
                 other_uses(places));
}

std::optional<MachineController> read_controller(const YamlNode& key, const YamlNode& value, CoreUses& cores,
                                                 Report& report) {
  const std::optional<ControllerName> name = parse_controller(key.text);
  if (!name || !name->number) {
    report.error(problem::kBadName, key.place, cat(quote(key.text), " is not the name of a controller"),
                 "write `cpu:N`, `gpu:N` or `fpga:N`, with a number from 0 to 1023");
    return std::nullopt;
  }
  MachineController controller = default_controller(name->kind, *name->number);
  controller.place = key.place;
  const MapReader map(&value, cat("controller ", quote(key.text)),
                      with_resource_names({"lanes", "backend", "capabilities", "cores", "price", "power", "clock"}),
                      report);
  if (const YamlNode* lanes = map.get("lanes")) read_lanes(*lanes, controller, report);
  if (const YamlNode* backend = map.get("backend")) check_backend(*backend, controller, report);
  if (const YamlNode* capabilities = map.get("capabilities")) read_capabilities(*capabilities, controller, report);
  if (const YamlNode* group = map.get("cores")) read_cores(*group, cores, controller, report);
  read_figures(map, controller, report);
  controller.resources = read_resources(map, report);
  return controller;
}

}  // namespace woa
