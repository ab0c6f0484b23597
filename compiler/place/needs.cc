#include "compiler/place/needs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/parse/machine.h"
#include "compiler/place/place.h"
#include "runtime/base/scalar.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

bool has(const MachineController& controller, const NeedUse& need) {
  return std::find(controller.capabilities.begin(), controller.capabilities.end(), need.name) !=
         controller.capabilities.end();
}

const NeedUse* first_missing(const std::vector<NeedUse>& needs, const MachineController& controller) {
  const auto missing = std::find_if(needs.begin(), needs.end(), [&](const NeedUse& n) { return !has(controller, n); });
  return missing == needs.end() ? nullptr : &*missing;
}

// Suggests the capability that is most like one that no controller has; empty: none is like it.
std::string did_you_mean(const NeedUse& need, const Machine& machine) {
  std::vector<std::string> known;
  for (const MachineController& controller : machine.controllers)
    known.insert(known.end(), controller.capabilities.begin(), controller.capabilities.end());
  const std::string near = nearest(need.name, known);
  return near.empty() || near == need.name ? "" : cat("did you mean ", quote(near), "? ");
}

std::string who_has_what(const Machine& machine) {
  std::vector<std::string> having;
  for (const MachineController& controller : machine.controllers) {
    const std::string what = list_of(controller.capabilities);
    having.push_back(cat(controller.plan.name, ": ", what.empty() ? "nothing" : what));
  }
  return cat("capabilities: ", quote_list(having), "; a machine file says them");
}

std::vector<Note> asked_at(const GraphStage& stage, const NeedUse& need) {
  const auto& own = stage.decl->needs;
  const bool by_stage = !own.empty() && &need >= own.data() && &need < own.data() + own.size();
  return {{need.place, by_stage ? std::string("needed here") : cat("kernel ", quote(stage.kernel->name), " needs it")}};
}

}  // namespace

const NeedUse* missing_need(const GraphStage& stage, const MachineController& controller) {
  const NeedUse* missing = stage.decl == nullptr ? nullptr : first_missing(stage.decl->needs, controller);
  return missing != nullptr || stage.kernel == nullptr ? missing : first_missing(stage.kernel->needs, controller);
}

void report_pin_lacks(const GraphStage& stage, const NeedUse& need, const std::string& on, const Place& place,
                      const Machine& machine, Report& report) {
  report.error(problem::kNoCapability, place,
               cat("stage ", quote(stage.name), " needs ", quote(need.name), ", which ", quote(on), " does not have"),
               cat(did_you_mean(need, machine), who_has_what(machine)), asked_at(stage, need));
}

void report_nobody_has(const GraphStage& stage, const NeedUse& need, const Machine& machine, Report& report) {
  report.error(problem::kNoCapability, stage.place,
               cat("stage ", quote(stage.name), " needs ", quote(need.name),
                   ", but no controller has all that it needs", " and runs its kernel"),
               cat(did_you_mean(need, machine), who_has_what(machine)), asked_at(stage, need));
}

namespace {

// True if the stage is pinned to one controller, not to a kind.
bool is_pinned(const GraphStage& stage) {
  if (stage.decl == nullptr) return false;
  const std::optional<ControllerName> on = parse_controller(stage.decl->on);
  return on && on->exact();
}

void report_full(const GraphStage& stage, const MachineController& controller, const std::string& resource,
                 std::uint64_t used, std::uint64_t taken, Report& report) {
  const bool pinned = stage.decl != nullptr && !stage.decl->on.empty();
  report.error(
      problem::kOverCapacity, pinned ? stage.decl->on_place : stage.place,
      cat("stage ", quote(stage.name), " does not fit into ", quote(controller.plan.name), ": ", used, " + ", taken,
          " > ", controller.resources.at(resource), resource == "memory" ? " bytes of " : " ", resource),
      "pin it, or another stage there, elsewhere; the machine file says what the controller has");
}

}  // namespace

void check_capacities(const Graph& graph, const Machine& machine, Which which, Report& report) {
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> used;  // by controller and resource
  std::set<std::pair<std::uint32_t, std::string>> cores;                // by controller and kernel
  const auto add = [&](const GraphStage& stage, std::uint32_t number) {
    const ControllerPlan& plan = graph.controllers[number];
    const Resources* taken = resources_on(stage, plan);
    const MachineController* controller = machine.find(plan.name);
    if (taken == nullptr || controller == nullptr) return;
    const std::string core = core_on(stage, plan);
    const bool shares = !core.empty() && !cores.emplace(number, core).second;
    for (const auto& [resource, amount] : *taken) {
      if (shares && is_part_of_core(resource)) continue;
      const auto limit = controller->resources.find(resource);
      if (limit == controller->resources.end()) continue;
      std::uint64_t& sum = used[{number, resource}];
      if (sum > limit->second) continue;  // already reported
      if (amount > limit->second - sum) report_full(stage, *controller, resource, sum, amount, report);
      sum = amount > limit->second - sum ? limit->second + 1 : sum + amount;
    }
  };
  for (const GraphStage& stage : graph.stages) {
    if (which == Which::kPinned && !is_pinned(stage)) continue;
    const bool together = stage.replica_controllers.empty();
    for (std::uint32_t r = 0; together && r < stage.replicas; ++r) add(stage, stage.controller);
    for (const std::uint32_t controller : stage.replica_controllers) add(stage, controller);
  }
}

namespace {

bool is_wide(const ParamPlan& param) {
  if (param.type != ParamType::kInt || !param.secret_env.empty()) return false;
  using Limits = std::numeric_limits<std::int32_t>;
  const std::optional<std::int64_t> value = parse_signed(param.value);
  return value && (*value < Limits::min() || *value > Limits::max());
}

Place place_of(const GraphStage& stage, const ParamPlan& param) {
  const auto use = std::ranges::find(stage.decl->params, param.name, &ParamUse::name);
  return use == stage.decl->params.end() ? stage.place : use->place;
}

}  // namespace

void check_device_params(const Graph& graph, Report& report) {
  for (const GraphStage& stage : graph.stages) {
    if (stage.kernel == nullptr || graph.controllers[stage.controller].kind != ControllerKind::kGpu) continue;
    if (modelled_on(stage, graph.controllers[stage.controller]) != nullptr) continue;  // it does not run
    for (const ParamPlan& param : stage.params) {
      if (!is_wide(param)) continue;
      report.error(problem::kParamRange, place_of(stage, param),
                   cat("parameter ", quote(param.name), " is ", quote(param.value), ", and stage ", quote(stage.name),
                       " runs on ", quote(graph.controllers[stage.controller].name), ", whose ints have 32 bits"),
                   "give a value from -2147483648 to 2147483647, or pin the stage to `cpu`");
    }
  }
}

}  // namespace woa
