#include "compiler/parse/machine_file.h"

#include <utility>
#include <vector>

#include "compiler/parse/calibration.h"
#include "compiler/parse/machine_controller.h"
#include "compiler/parse/machine_links.h"
#include "compiler/parse/reader.h"

namespace woa {
namespace {

// `cores: {package: 8}`
// Whether all names could be read.
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

// Places are those of the controllers' names.
std::vector<Place> read_controllers(const YamlNode& node, CoreUses& cores, Machine& machine, Report& report) {
  std::vector<Place> places;
  if (!expect_map(node, "`controllers`", "`cpu:0: {lanes: 1}`", report)) return places;
  if (node.keys.empty())
    report.error(problem::kMissingKey, node.place, "`controllers` has no controller",
                 "add one, such as `\"cpu:0\": {lanes: 1}`; without a machine file there are `cpu:0` and `cpu:1`");
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (auto controller = read_controller(node.keys[i], node.items[i], cores, report)) {
      machine.controllers.push_back(std::move(*controller));
      places.push_back(node.keys[i].place);
    }
  }
  return places;
}

// Source and sink are on the host: a controller that it has no link with could not take part in a run.
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

std::optional<Machine> read_machine(std::uint32_t source, Report& report) {
  report.set_manual(source, "docs/machine.md");
  const std::optional<YamlNode> root = parse_yaml(source, report);
  if (!root || !expect_map(*root, "a machine file", "`woa_machine: 1` and `controllers:`", report) ||
      !expect_kind(*root, "woa_machine", report)) {
    return std::nullopt;
  }
  const MapReader map(&*root, "a machine file",
                      {"woa_machine", "cores", "controllers", "links", "default_link", "calibration"}, report);
  check_version(map, "woa_machine", report);
  Machine machine;
  std::vector<Place> places;
  // What was measured does not say which controllers there are.
  const bool measured_only = map.get("calibration") != nullptr && map.get("controllers") == nullptr;
  if (measured_only) machine = default_machine();
  const YamlNode* cores = map.get("cores");
  const bool all_cores = (cores == nullptr || read_core_groups(*cores, machine, report)) && !map.misspelt("cores");
  if (const YamlNode* controllers =
          measured_only ? nullptr : map.need("controllers", "controllers: {\"cpu:0\": {lanes: 1}}")) {
    CoreUses uses{machine.cores, {}};
    places = read_controllers(*controllers, uses, machine, report);
    if (all_cores) report_unknown_cores(uses, report);
  }
  if (const YamlNode* calibration = map.get("calibration")) read_calibration(*calibration, machine, report);
  if (measured_only || !machine.controllers.empty()) read_all_links(map, machine, places, report);
  return machine;
}

}  // namespace woa
