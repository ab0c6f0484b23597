#include "compiler/place/needs.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/parse/machine.h"
#include "compiler/place/generated/fpga_node.h"
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

// True if the stage's pin, kernel and needs leave it one controller of the machine.
bool has_no_choice(const GraphStage& stage, const Machine& machine) {
  if (stage.decl == nullptr || stage.kernel == nullptr) return false;
  const std::optional<ControllerName> on = parse_controller(stage.decl->on);
  if (on && on->exact()) return true;
  return std::ranges::count_if(machine.controllers, [&](const MachineController& controller) {
           return (!on || on->kind == controller.plan.kind) && may_run(stage, controller.plan) &&
                  missing_need(stage, controller) == nullptr;
         }) == 1;
}

// A kernel, or the packet node, that takes a resource of a controller.
struct User {
  std::string name;
  std::uint64_t amount = 0;
};

struct Demand {
  std::vector<User> users;
  std::uint64_t sum = 0;
  const GraphStage* over = nullptr;  // the first stage that finds too little left

  void add(const std::string& user, std::uint64_t amount, std::uint64_t limit, const GraphStage& stage) {
    if (amount == 0) return;
    if (users.empty() || users.back().name != user) users.push_back({user, 0});
    users.back().amount = sum_of(users.back().amount, amount);
    sum = sum_of(sum, amount);
    if (over == nullptr && sum > limit) over = &stage;
  }

 private:
  static std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) { return a + b < a ? ~std::uint64_t{0} : a + b; }
};

// "kernel `blur` (500), the packet node (90) and 2 more"
std::string largest_of(std::vector<User> users) {
  constexpr std::size_t kShown = 3;
  std::ranges::stable_sort(users, std::greater(), &User::amount);
  const std::size_t shown = std::min(users.size(), kShown);
  std::string text;
  for (std::size_t u = 0; u < shown; ++u) {
    const bool last = u + 1 == users.size();
    text += cat(u == 0 ? "" : last ? " and " : ", ", users[u].name, " (", users[u].amount, ")");
  }
  return users.size() > shown ? cat(text, " and ", users.size() - shown, " more") : text;
}

// By controller of the graph and resource that it limits.
class Demands {
 public:
  Demands(const Graph& graph, const Machine& machine) : graph_(graph), machine_(machine) {}

  void add(const GraphStage& stage, std::uint32_t number) {
    const MachineController* controller = machine_.find(graph_.controllers[number].name);
    if (controller == nullptr || stage.kernel == nullptr) return;
    if (seen_.emplace(number, "").second)
      for (const auto& [resource, amount] : node_on(*controller))
        add(number, *controller, resource, amount, "the packet node", stage);
    const std::string core = core_on(stage, controller->plan);
    const bool shares = !core.empty() && !seen_.emplace(number, core).second;
    for (const auto& [resource, amount] : resources_on(stage, *controller)) {
      const bool of_core = !core.empty() && is_part_of_core(resource);
      if (shares && of_core) continue;
      const std::string user = of_core ? cat("kernel ", quote(stage.kernel->name)) : cat("stage ", quote(stage.name));
      add(number, *controller, resource, amount, user, stage);
    }
  }

  void report_full(Report& report) const {
    for (const auto& [key, demand] : demands_) {
      if (demand.over == nullptr) continue;
      const GraphStage& stage = *demand.over;
      const MachineController& controller = *machine_.find(graph_.controllers[key.first].name);
      const bool pinned = stage.decl != nullptr && !stage.decl->on.empty();
      report.error(problem::kOverCapacity, pinned ? stage.decl->on_place : stage.place,
                   cat("stage ", quote(stage.name), " does not fit into ", quote(controller.plan.name), ", which has ",
                       controller.resources.at(key.second), key.second == "memory" ? " bytes of " : " ", key.second,
                       ": ", demand.sum, " are taken, by ", largest_of(demand.users)),
                   "pin it, or another stage there, elsewhere; the machine file says what the controller has");
    }
  }

 private:
  void add(std::uint32_t number, const MachineController& controller, const std::string& resource, std::uint64_t amount,
           const std::string& user, const GraphStage& stage) {
    const auto limit = controller.resources.find(resource);
    if (limit != controller.resources.end()) demands_[{number, resource}].add(user, amount, limit->second, stage);
  }

  const Graph& graph_;
  const Machine& machine_;
  std::map<std::pair<std::uint32_t, std::string>, Demand> demands_;
  std::set<std::pair<std::uint32_t, std::string>> seen_;  // cores, and "" for the packet node
};

}  // namespace

Resources node_on(const MachineController& controller) {
  ResourceUse use;
  for (const FpgaNode& node : kFpgaNodes)
    if (node.backend == controller.plan.backend)
      use.emplace(node.family,
                  Resources{{"luts", node.luts}, {"ffs", node.ffs}, {"brams", node.brams}, {"dsps", node.dsps}});
  return use_on(use, controller.family);
}

std::optional<Resources> room_on(const MachineController& controller) {
  Resources room = controller.resources;
  for (const auto& [resource, amount] : node_on(controller)) {
    const auto limit = room.find(resource);
    if (limit == room.end()) continue;
    if (amount > limit->second) return std::nullopt;
    limit->second -= amount;
  }
  return room;
}

void check_capacities(const Graph& graph, const Machine& machine, Which which, Report& report) {
  Demands demands(graph, machine);
  for (const GraphStage& stage : graph.stages) {
    if (which == Which::kBound && !has_no_choice(stage, machine)) continue;
    const bool together = stage.replica_controllers.empty();
    for (std::uint32_t r = 0; together && r < stage.replicas; ++r) demands.add(stage, stage.controller);
    for (const std::uint32_t controller : stage.replica_controllers) demands.add(stage, controller);
  }
  demands.report_full(report);
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
