#include "compiler/place/cost_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "compiler/fnv_hash.h"
#include "compiler/place/place.h"

namespace woa {
namespace {

constexpr std::uint32_t kHostComponent = 0;
constexpr double kMostNumber = 1e15;  // what a double still counts exactly

std::uint64_t whole(double number) {
  return static_cast<std::uint64_t>(std::llround(std::clamp(number, 0.0, kMostNumber)));
}
std::uint64_t per_mille(double number) { return whole(number * static_cast<double>(kPerMille)); }

class TableMaker {
 public:
  TableMaker(const Graph& graph, const Machine& machine, const Profile& profile, Report& report)
      : graph_(graph), machine_(machine), profile_(profile), report_(report) {}

  std::optional<Costs> make() {
    add_component({{"host", ControllerKind::kHost, "host", 1}, {}, {}, {}, {}, {}, {}});
    for (const MachineController& controller : machine_.controllers) add_component(controller);
    for (const GraphStage& stage : graph_.stages) add_pinned(stage);
    table_.cores = machine_.cores;
    for (const ComponentCosts& from : table_.components)
      for (const ComponentCosts& to : table_.components) {
        const LinkCost link = machine_.link(from.controller, to.controller);
        table_.links.push_back({link.latency_ps, link.ps_per_kib, link.direct});
      }
    const std::size_t errors = report_.errors();
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) add_stage(s);
    for (const GraphEdge& edge : graph_.edges) add_edge(edge);
    if (report_.errors() != errors) return std::nullopt;
    return Costs{std::move(table_), std::move(controllers_)};
  }

 private:
  void add_component(const MachineController& controller) {
    table_.components.push_back({controller.plan.name, controller.plan.lanes, controller.resources, controller.cores});
    controllers_.push_back(controller.plan);
  }
  // A controller that the machine does not list, but a graph may name.
  void add_pinned(const GraphStage& stage) {
    if (stage.kernel == nullptr) return;
    const ControllerPlan& controller = graph_.controllers[stage.controller];
    const auto known = [&](const ComponentCosts& component) { return component.controller == controller.name; };
    if (std::ranges::any_of(table_.components, known)) return;
    add_component({controller, {}, {}, {}, {}, {}, {}});
  }

  void add_stage(std::uint32_t s) {
    const GraphStage& stage = graph_.stages[s];
    const auto k = static_cast<std::uint32_t>(table_.components.size());
    StageCosts costs{std::vector<std::int64_t>(k, kNowhere_ps), kPerMille, {}};
    costs.serial = stage.kernel != nullptr && stage.kernel->stateful == Stateful::kRun;
    if (stage.kernel == nullptr) {
      costs.time_ps[kHostComponent] = 0;
    } else {
      const StageProfile& measured = profile_.stages.at(stage.name);
      costs.firings = per_mille(measured.firings);
      for (std::uint32_t l = kHostComponent + 1; l < k; ++l) add_time(stage, measured, l, costs);
      if (std::ranges::all_of(costs.time_ps, [](std::int64_t time) { return time == kNowhere_ps; }))
        report_nowhere(stage, measured);
      add_resources(stage, costs);
    }
    table_.stages.push_back(std::move(costs));
  }
  [[nodiscard]] bool allowed(const GraphStage& stage, std::uint32_t l) const {
    if (!stage.kernel->variants.contains(variant_for(controllers_[l].kind))) return false;
    if (stage.decl->on.empty()) return true;
    const std::optional<ControllerName> pin = parse_controller(stage.decl->on);
    if (pin && !pin->exact()) return pin->kind == controllers_[l].kind;
    return table_.components[l].controller == graph_.controllers[stage.controller].name;
  }
  void add_time(const GraphStage& stage, const StageProfile& measured, std::uint32_t l, StageCosts& costs) const {
    if (!allowed(stage, l)) return;
    auto time = measured.time_ps.find(table_.components[l].controller);
    if (time == measured.time_ps.end()) time = measured.time_ps.find(std::string(to_string(controllers_[l].kind)));
    if (time == measured.time_ps.end()) return;
    costs.time_ps[l] =
        static_cast<std::int64_t>(std::min<std::uint64_t>(time->second, std::numeric_limits<std::int64_t>::max()));
  }
  void add_resources(const GraphStage& stage, StageCosts& costs) const {
    if (stage.kernel->resources.empty()) return;
    for (const ControllerPlan& controller : controllers_) {
      const auto taken = stage.kernel->resources.find(variant_for(controller.kind));
      costs.resources.push_back(taken == stage.kernel->resources.end() ? Resources() : taken->second);
    }
  }
  void report_nowhere(const GraphStage& stage, const StageProfile& measured) {
    std::string why;
    for (const auto& [kind, reason] : measured.missing) why += cat("; ", kind, ": ", reason);
    report_.error(
        problem::kProfileGap, measured.place,
        cat("the profile has no time of stage ", quote(stage.name), " on any controller that it may run on", why),
        "measure again where such a controller is, or write `time_ps` by hand; or change `on`");
  }
  void add_edge(const GraphEdge& edge) {
    const auto port = [&](std::uint32_t stage, const std::string& name) {
      return cat(graph_.stages[stage].name, ".", name);
    };
    const EdgeProfile& measured =
        profile_.edges.at({port(edge.from_stage, graph_.stages[edge.from_stage].outputs[edge.from_port].name),
                           port(edge.to_stage, graph_.stages[edge.to_stage].inputs[edge.to_port].name)});
    table_.edges.push_back(
        {edge.from_stage, edge.to_stage, per_mille(measured.tokens), whole(measured.tokens * measured.bytes)});
  }

  const Graph& graph_;
  const Machine& machine_;
  const Profile& profile_;
  Report& report_;
  CostTable table_;
  std::vector<ControllerPlan> controllers_;  // by component
};

void add(FnvHash& hash, const std::map<std::string, std::uint64_t>& amounts) {
  hash.add(amounts.size());
  for (const auto& [name, number] : amounts) hash.add(name), hash.add(number);
}

}  // namespace

std::optional<Costs> make_cost_table(const Graph& graph, const Machine& machine, const Profile& profile,
                                     Report& report) {
  return TableMaker(graph, machine, profile, report).make();
}

std::string hash_of(const CostTable& table) {
  FnvHash hash;
  hash.add(table.components.size());
  for (const ComponentCosts& component : table.components) {
    hash.add(component.controller), hash.add(component.lanes), hash.add(component.cores);
    add(hash, component.resources);
  }
  add(hash, table.cores);
  for (const LinkCosts& link : table.links)
    hash.add(link.latency_ps), hash.add(link.ps_per_kib), hash.add(std::uint64_t{link.direct});
  hash.add(table.stages.size());
  for (const StageCosts& stage : table.stages) {
    for (const std::int64_t time : stage.time_ps) hash.add(static_cast<std::uint64_t>(time));
    hash.add(stage.firings), hash.add(std::uint64_t{stage.serial}), hash.add(stage.resources.size());
    for (const auto& amounts : stage.resources) add(hash, amounts);
  }
  for (const EdgeCosts& edge : table.edges)
    for (const std::uint64_t number : {std::uint64_t{edge.from}, std::uint64_t{edge.to}, edge.tokens, edge.bytes})
      hash.add(number);
  return hash.text();
}

}  // namespace woa
