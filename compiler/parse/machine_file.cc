#include "compiler/parse/machine_file.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "compiler/parse/machine_links.h"
#include "compiler/parse/reader.h"
#include "compiler/parse/resources.h"

namespace woa {
namespace {

// Reads `cores: {package: 8}`. True if all names could be read.
bool read_core_groups(const YamlNode& node, Machine& machine, Report& report) {
  constexpr std::uint64_t kMostCores = 1 << 20;
  if (!expect_map(node, "`cores`", "`{package: 8}`", report)) return false;
  bool all = true;
  for (std::size_t k = 0; k < node.keys.size(); ++k) {
    const auto name = read_name(node.keys[k], "the name of a group of cores", report);
    const auto count = read_integer(node.items[k], "the number of cores", 1, kMostCores, report);
    if (name) machine.cores.emplace(*name, count.value_or(1));
    all = all && name;
  }
  return all;
}

// Returns the places of the controllers' names.
std::vector<Place> read_controllers(const YamlNode& node, CoreUses& cores, Machine& machine, Report& report) {
  std::vector<Place> places;
  if (!expect_map(node, "`controllers`", "`cpu:0: {workers: 1}`", report)) return places;
  if (node.keys.empty())
    report.error(problem::kMissingKey, node.place, "`controllers` has no controller",
                 "add one, such as `\"cpu:0\": {workers: 1}`; without a machine file there is `cpu:0`");
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (auto controller = read_controller(node.keys[i], node.items[i], cores, report)) {
      machine.controllers.push_back(std::move(*controller));
      places.push_back(node.keys[i].place);
    }
  }
  return places;
}

// Source and sink are on the host: a controller without a link with it could not take part in a run.
void check_reachable(const Machine& machine, const std::vector<Place>& places, Report& report) {
  for (std::size_t c = 0; c < machine.controllers.size(); ++c) {
    const std::string& name = machine.controllers[c].plan.name;
    const auto [to, from] = machine.reach(name);
    if (to && from) continue;
    const std::string way = to     ? cat("from ", quote(name), " to `host`")
                            : from ? cat("from `host` to ", quote(name))
                                   : cat("between ", quote(name), " and `host`");
    report.error(
        problem::kUnreachable, places[c],
        cat(quote(name), " cannot be reached: there is no link ", way, ", where every instance begins and ends"),
        cat("add `{between: [host, \"", name, "\"], latency: ..., bandwidth: ...}` to `links`, or `default_link`"));
  }
}

void read_all_links(const MapReader& map, Machine& machine, const std::vector<Place>& places, Report& report) {
  const std::size_t errors = report.errors();
  if (const YamlNode* link = map.get("default_link")) machine.default_link = read_default_link(*link, report);
  if (const YamlNode* links = map.get("links")) read_links(*links, machine, machine.links, report);
  if (report.errors() != errors) return;
  machine.links_written = map.get("links") != nullptr || map.get("default_link") != nullptr;
  check_reachable(machine, places, report);
}

}  // namespace

std::optional<Machine> read_machine(std::uint32_t source, Report& report, std::uint32_t cpus) {
  report.set_manual(source, "docs/machine.md");
  const auto root = read_root(source, "woa_machine", "a machine file", "`woa_machine: 1` and `controllers:`", report);
  if (!root) return std::nullopt;
  const MapReader map(&*root, "a machine file",
                      {"woa_machine", "cores", "controllers", "links", "default_link", "calibration"}, report);
  check_version(map, "woa_machine", report);
  Machine machine;
  std::vector<Place> places;
  // A calibration does not say which controllers exist.
  const bool measured_only = map.get("calibration") != nullptr && map.get("controllers") == nullptr;
  if (measured_only) machine = default_machine(cpus);
  const YamlNode* cores = map.get("cores");
  const bool all_cores = (cores == nullptr || read_core_groups(*cores, machine, report)) && !map.misspelt("cores");
  if (const YamlNode* controllers =
          measured_only ? nullptr : map.need("controllers", "controllers: {\"cpu:0\": {workers: 1}}")) {
    CoreUses uses{machine.cores, {}};
    places = read_controllers(*controllers, uses, machine, report);
    if (all_cores) report_unknown_cores(uses, report);
  }
  if (const YamlNode* calibration = map.get("calibration")) read_calibration(*calibration, machine, report);
  if (measured_only || !machine.controllers.empty()) read_all_links(map, machine, places, report);
  return machine;
}

namespace {

constexpr std::uint64_t kMostPrice = 1'000'000'000'000;
constexpr std::uint64_t kMostPower_mw = 1'000'000'000'000;
constexpr std::uint64_t kMostClock_hz = 1'000'000'000'000;

void read_workers(const YamlNode& workers, MachineController& controller, Report& report) {
  if (controller.plan.kind != ControllerKind::kCpu) {
    report.error(problem::kBadValue, workers.place,
                 cat("`workers` is for cpu controllers, ", quote(controller.plan.name), " has none"), "leave it out");
  }
  const bool all = workers.kind == YamlNode::Kind::kScalar && workers.text == "all";
  controller.plan.workers =
      all ? kAllWorkers
          : static_cast<std::uint32_t>(read_integer(workers, "`workers`", 1, kMaxWorkers, report).value_or(1));
}

void read_backend(const YamlNode& node, MachineController& controller, Report& report) {
  const auto name = read_text(node, "`backend`", report);
  if (!name) return;
  const ControllerKind kind = controller.plan.kind;
  const KnownBackend* const backend = find_backend(*name);
  if (backend != nullptr && backend->kind == kind) {
    controller.plan = make_controller(controller.plan.name, *backend, controller.plan.workers);
    return;
  }
  std::vector<std::string> names;
  for (const KnownBackend& each : kBackends)
    if (each.kind == kind) names.emplace_back(each.name);
  report.error(problem::kBadValue, node.place, cat(quote(*name), " is no back-end of ", quote(controller.plan.name)),
               cat(suggest(*name, names, cat("back-ends of kind ", to_string(kind))), "; or leave `backend` out"));
}

void read_registers(const YamlNode& node, MachineController& controller, Report& report) {
  const auto bytes = read_size(node, "`registers`", report);
  if (controller.plan.traits.registers == 0) {
    report.error(problem::kBadValue, node.place,
                 cat("`registers` is for back-ends that register memory, and ", quote(controller.plan.backend), " of ",
                     quote(controller.plan.name), " does not"),
                 "leave it out, or choose a `backend` that does, such as `cuda` or `xrt`");
  } else if (bytes) {
    controller.plan.traits.registers = *bytes;
  }
}

// Replaces the capabilities that the kind has by default.
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

void read_family(const YamlNode& node, MachineController& controller, Report& report) {
  const auto name = read_text(node, "`family`", report);
  if (!name) return;
  if (controller.plan.kind != ControllerKind::kFpga) {
    report.error(problem::kBadValue, node.place,
                 cat("`family` is for fpga controllers, ", quote(controller.plan.name), " has none"), "leave it out");
  } else if (std::ranges::find(kFamilies, *name) == kFamilies.end()) {
    report.error(problem::kBadValue, node.place, cat("`family` is ", quote(*name), ", of which no figures are known"),
                 cat(suggest(*name, {kFamilies.begin(), kFamilies.end()}, "families"),
                     "; leave it out for another, and the largest figures count"));
  } else {
    controller.family = *name;
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
  if (const YamlNode* firing = map.get("firing")) controller.firing_ps = read_latency_ps(*firing, "`firing`", report);
  if (const YamlNode* message = map.get("message"))
    controller.message_ps = read_latency_ps(*message, "`message`", report);
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
  controller.plan.workers = 1;
  controller.cores.clear();
  const MapReader map(&value, cat("controller ", quote(key.text)),
                      with_resource_names({"workers", "backend", "registers", "capabilities", "cores", "family",
                                           "price", "power", "clock", "firing", "message"}),
                      report);
  if (const YamlNode* workers = map.get("workers")) read_workers(*workers, controller, report);
  if (const YamlNode* backend = map.get("backend")) read_backend(*backend, controller, report);
  if (const YamlNode* registers = map.get("registers")) read_registers(*registers, controller, report);
  if (const YamlNode* capabilities = map.get("capabilities")) read_capabilities(*capabilities, controller, report);
  if (const YamlNode* group = map.get("cores")) read_cores(*group, cores, controller, report);
  if (const YamlNode* family = map.get("family")) read_family(*family, controller, report);
  read_figures(map, controller, report);
  controller.resources = read_resources(map, report);
  return controller;
}

}  // namespace woa
