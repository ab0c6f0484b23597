#include "compiler/place/cost_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "compiler/place/copies.h"
#include "compiler/place/legs.h"
#include "compiler/place/needs.h"
#include "compiler/place/place.h"
#include "compiler/place/replicas.h"
#include "runtime/base/fnv_hash.h"

namespace woa {
namespace {

constexpr double kTooMuch = 0x1p62;  // placement_problem() refuses tables that hold as much

std::uint64_t whole(double number) {
  return static_cast<std::uint64_t>(std::llround(std::clamp(number, 0.0, kTooMuch)));
}

// Divides a number among `count` without loss. If it is not 0, each share is at least 1.
class Shared {
 public:
  Shared(double number, std::size_t count)
      : whole_(number > 0 ? std::max<std::uint64_t>(whole(number), count) : 0), count_(count) {}
  [[nodiscard]] std::uint64_t of(std::size_t one) const {
    return whole_ / count_ + (one % count_ < whole_ % count_ ? 1 : 0);
  }

 private:
  std::uint64_t whole_;
  std::size_t count_;
};
constexpr auto kParts = static_cast<double>(kPerMillion);

class TableMaker {
 public:
  TableMaker(const Graph& graph, const Machine& machine, const Profile& profile, bool busy, Report& report)
      : graph_(graph), machine_(machine), profile_(profile), busy_(busy), report_(report) {}

  std::optional<Costs> make() {
    add_component({make_controller("host", default_backend(ControllerKind::kHost)), {}, {}, {}, {}, {}, {}});
    for (const MachineController& controller : machine_.controllers)
      if (is_for_any(controller)) add_component(controller);
    for (const GraphStage& stage : graph_.stages) add_pinned(stage);
    share_cores();
    table_.wake_ps = machine_.wake();
    for (const ComponentCosts& from : table_.components)
      for (const ComponentCosts& to : table_.components) {
        const LinkCost link = machine_.link(from.controller, to.controller);
        const bool assumed = machine_.link_origin(from.controller, to.controller) == LinkOrigin::kAssumed;
        table_.links.push_back({link.latency_ps, link.ps_per_kib, link.direct, assumed});
      }
    const std::size_t errors = report_.errors();
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) add_stage(s);
    for (const GraphEdge& edge : graph_.edges) add_edge(edge);
    if (report_.errors() != errors) return std::nullopt;
    return Costs{std::move(table_), std::move(controllers_)};
  }

 private:
  // Controllers that no stage may use are left out: they would only slow the search.
  [[nodiscard]] bool is_for_any(const MachineController& controller) const {
    return std::ranges::any_of(
        graph_.stages, [&](const GraphStage& stage) { return stage.kernel != nullptr && allowed(stage, controller); });
  }
  void add_component(const MachineController& controller) {
    const std::uint32_t workers = controller.plan.workers;
    table_.components.push_back({controller.plan.name, workers == kAllWorkers ? machine_.processors : workers,
                                 room_on(controller).value_or(Resources()), controller.cores, controller.price,
                                 controller.power, machine_.cost(controller).message_ps});
    controllers_.push_back(controller);
  }
  // Adds a controller that the machine does not list, but a graph may name.
  void add_pinned(const GraphStage& stage) {
    if (stage.kernel == nullptr) return;
    const ControllerPlan& controller = graph_.controllers[stage.controller];
    if (machine_.find(controller.name) != nullptr) return;
    const auto known = [&](const ComponentCosts& component) { return component.controller == controller.name; };
    if (std::ranges::any_of(table_.components, known)) return;
    const std::optional<ControllerName> name = parse_controller(controller.name);
    MachineController added = default_controller(controller.kind, name ? name->number.value_or(0) : 0);
    added.plan = controller;
    const auto shared = machine_.cores_of_kind.find(controller.kind);
    if (shared != machine_.cores_of_kind.end()) added.cores = shared->second;
    add_component(added);
  }

  // A group with one controller adds nothing to the limit by its workers, unless these are more than the processors, or
  // the machine file counts its cores.
  void share_cores() {
    table_.cores = machine_.cores;
    if (table_.cores.contains(std::string(kSharedCores))) return;
    std::vector<ComponentCosts*> members;
    for (ComponentCosts& component : table_.components)
      if (component.cores == kSharedCores) members.push_back(&component);
    if (members.size() > 1 || (!members.empty() && members.front()->workers > machine_.processors)) {
      table_.cores.emplace(kSharedCores, machine_.processors);
    } else if (!members.empty()) {
      members.front()->cores.clear();
    }
  }

  void add_stage(std::uint32_t s) {
    const GraphStage& stage = graph_.stages[s];
    first_.push_back(static_cast<std::uint32_t>(table_.stages.size()));
    const auto k = static_cast<std::uint32_t>(table_.components.size());
    StageCosts costs{std::vector<std::int64_t>(k, kNowhere_ps), kPerMillion, {}};
    costs.serial = stage.kernel != nullptr && (stage.kernel->serial || stage.kernel->stateful == Stateful::kRun);
    if (stage.kernel == nullptr) {
      const bool writes = s == kSourceStage;
      costs.time_ps[kHostComponent] = writes ? static_cast<std::int64_t>(profile_.source_ps) : 0;
    } else {
      const StageProfile& measured = profile_.stages.at(stage.name);
      for (std::uint32_t l = kHostComponent + 1; l < k; ++l) add_time(stage, measured, l, costs);
      if (std::ranges::all_of(costs.time_ps, [](std::int64_t time) { return time == kNowhere_ps; }))
        report_nowhere(stage, measured);
      costs.copyable = is_copyable(graph_, s);
      costs.core = core_of(stage);
      add_resources(stage, costs);
    }
    const double all = stage.kernel == nullptr ? 1 : profile_.stages.at(stage.name).firings;
    const Shared firings(all * kParts, stage.replicas);
    for (std::uint32_t r = 0; r < stage.replicas; ++r) {
      table_.stages.push_back(costs);
      table_.stages.back().firings = firings.of(r);
    }
  }
  [[nodiscard]] bool allowed(const GraphStage& stage, const MachineController& on) const {
    const ControllerPlan& controller = on.plan;
    if (!may_run(stage, controller)) return false;
    if (missing_need(stage, on) != nullptr || !room_on(on)) return false;
    if (controller.traits.writes_packets && chooses(stage)) return false;
    if (stage.decl->on.empty()) return true;
    const std::optional<ControllerName> pin = parse_controller(stage.decl->on);
    if (pin && !pin->exact()) return pin->kind == controller.kind;
    return controller.name == graph_.controllers[stage.controller].name;
  }
  // The cores of all fpgas in one text: the table has one for a stage.
  [[nodiscard]] std::string core_of(const GraphStage& stage) const {
    std::set<std::string> cores;
    for (const MachineController& controller : controllers_) cores.insert(core_on(stage, controller.plan));
    cores.erase("");
    std::string all;
    for (const std::string& core : cores) all += (all.empty() ? "" : ", ") + core;
    return all;
  }
  // True if the stage chooses among the replicas of a reader, which no device that writes its packets can.
  [[nodiscard]] bool chooses(const GraphStage& stage) const {
    for (const auto& port : stage.out)
      for (const std::uint32_t e : port)
        if (is_choice(graph_, graph_.edges[e])) return true;
    return false;
  }
  void add_time(const GraphStage& stage, const StageProfile& measured, std::uint32_t l, StageCosts& costs) const {
    if (!allowed(stage, controllers_[l])) return;
    const bool busy = busy_ && table_.components[l].workers > 1;
    std::optional<std::uint64_t> time = time_on(measured, controllers_[l], busy);
    if (!time && measured.firings == 0) time = 0;  // it never fires, so it adds nothing
    if (!time) return;
    const std::uint64_t added = machine_.cost(controllers_[l]).firing_ps;  // at most a minute
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    costs.time_ps[l] = static_cast<std::int64_t>(std::min(*time, kMost - added) + added);
    if (modelled_on(stage, controllers_[l].plan) != nullptr) costs.modelled.push_back(l);
  }
  void add_resources(const GraphStage& stage, StageCosts& costs) const {
    if (stage.kernel->resources.empty() && costs.modelled.empty()) return;
    for (const MachineController& controller : controllers_) costs.resources.push_back(resources_on(stage, controller));
  }
  void report_nowhere(const GraphStage& stage, const StageProfile& measured) {
    std::string why;
    for (const auto& [kind, reason] : measured.missing) why += cat("; ", kind, ": ", reason);
    for (const MachineController& controller : machine_.controllers)
      if (may_run(stage, controller.plan) && !room_on(controller))
        why += cat("; ", controller.plan.name, ": the machine file gives it less than its packet node takes");
    report_.error(
        problem::kProfileGap, measured.place,
        cat("the profile has no time of stage ", quote(stage.name), " on any controller that it may run on", why),
        "measure again where such a controller is, or write `time_ps` by hand; or change `on`");
  }
  void add_edge(const GraphEdge& edge) {
    const auto port = [&](std::uint32_t stage, const std::string& name) {
      return cat(graph_.stages[stage].name, ".", name);
    };
    const GraphStage &from = graph_.stages[edge.from_stage], &to = graph_.stages[edge.to_stage];
    EdgeProfile measured;
    if (edge.count) {  // one count for each scatter
      measured.tokens = profile_.stages.at(from.name).firings;
    } else {
      measured = profile_.edges.at({port(edge.from_stage, from.outputs[edge.from_port].name),
                                    port(edge.to_stage, to.inputs[edge.to_port].name)});
    }
    const std::vector<ReplicaEdge> pairs = replica_edges(graph_, edge);
    // A held token goes to all replicas of its reader, any other token to one of the pairs.
    const bool held = to.inputs[edge.to_port].hold;
    const std::size_t shared_by = held ? from.replicas : pairs.size();
    const Shared tokens(measured.tokens * kParts, shared_by),
        bytes(measured.tokens * measured.bytes * kParts, shared_by), unread(measured.unread * kParts, shared_by),
        unread_bytes(measured.unread * measured.unread_bytes * kParts, shared_by);
    const bool elements = from.outputs[edge.from_port].many != 0 && !edge.count;
    const Shared requests(elements ? profile_.stages.at(from.name).firings * kParts : 0, shared_by);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const std::size_t one = held ? pairs[p].writer : p;
      EdgeCosts costs{first_[edge.from_stage] + pairs[p].writer,
                      first_[edge.to_stage] + pairs[p].reader,
                      tokens.of(one),
                      bytes.of(one),
                      edge.count,
                      std::min(unread.of(one), tokens.of(one)),
                      std::min(unread_bytes.of(one), bytes.of(one))};
      if (elements) costs.requests = requests.of(one);
      costs.calls = is_call(edge.to_port, edge.loop, edge.count) && edge.to_stage != kSinkStage;
      if (held && to.replicas > 1) leave_to_others(edge, pairs[p], costs);
      table_.edges.push_back(costs);
    }
  }
  // Counts a held token as unread at replicas that do not fire for it: one replica reads it or, if the elements of a
  // scatter are spread over replicas, as many as there are elements.
  void leave_to_others(const GraphEdge& edge, const ReplicaEdge& pair, EdgeCosts& costs) const {
    const GraphStage &from = graph_.stages[edge.from_stage], &to = graph_.stages[edge.to_stage];
    const auto read = static_cast<double>(costs.tokens - costs.unread);
    if (read == 0) return;
    const std::uint32_t alike = std::gcd(from.replicas, to.replicas);
    double share = pair.writer % alike == pair.reader % alike ? static_cast<double>(alike) / to.replicas : 0;
    if (replica_scatter(graph_, edge.from_stage) != replica_scatter(graph_, edge.to_stage)) {
      const double firings = profile_.stages.at(to.name).firings * kParts / to.replicas / from.replicas;
      share = std::min(1.0, firings / read);
    }
    costs.unread = costs.tokens - whole(read * share);
    costs.unread_bytes = costs.bytes - whole(static_cast<double>(costs.bytes - costs.unread_bytes) * share);
  }

  const Graph& graph_;
  const Machine& machine_;
  const Profile& profile_;
  const bool busy_;
  Report& report_;
  CostTable table_;
  std::vector<MachineController> controllers_;  // by component
  std::vector<std::uint32_t> first_;            // by stage of the graph: its stage in the table, or its first replica
};

void add(FnvHash& hash, const std::map<std::string, std::uint64_t>& amounts) {
  hash.add(amounts.size());
  for (const auto& [name, number] : amounts) hash.add(name), hash.add(number);
}

void add(FnvHash& hash, const std::optional<std::uint64_t>& figure) {
  hash.add(std::uint64_t{figure.has_value()});
  hash.add(figure.value_or(0));
}

}  // namespace

std::optional<Costs> make_cost_table(const Graph& graph, const Machine& machine, const Profile& profile, bool busy,
                                     Report& report) {
  return TableMaker(graph, machine, profile, busy, report).make();
}

std::string hash_of(const CostTable& table) {
  FnvHash hash;
  hash.add(table.components.size());
  for (const ComponentCosts& component : table.components) {
    hash.add(component.controller), hash.add(component.workers), hash.add(component.cores);
    add(hash, component.resources);
    add(hash, component.price), add(hash, component.power_mw);
    hash.add(component.message_ps);
  }
  add(hash, table.cores);
  hash.add(table.wake_ps);
  for (const LinkCosts& link : table.links)
    for (const std::uint64_t number :
         {link.latency_ps, link.ps_per_kib, std::uint64_t{link.direct}, std::uint64_t{link.assumed}})
      hash.add(number);
  hash.add(table.stages.size());
  for (const StageCosts& stage : table.stages) {
    for (const std::int64_t time : stage.time_ps) hash.add(static_cast<std::uint64_t>(time));
    hash.add(stage.firings), hash.add(std::uint64_t{stage.serial}), hash.add(std::uint64_t{stage.copyable});
    hash.add(stage.copy), hash.add(stage.core), hash.add(stage.resources.size());
    for (const auto& amounts : stage.resources) add(hash, amounts);
    hash.add(stage.modelled.size());
    for (const std::uint32_t component : stage.modelled) hash.add(std::uint64_t{component});
  }
  for (const EdgeCosts& edge : table.edges) {
    for (const std::uint64_t number : {std::uint64_t{edge.from}, std::uint64_t{edge.to}, edge.tokens, edge.bytes,
                                       std::uint64_t{edge.count}, edge.unread, edge.unread_bytes})
      hash.add(number);
    add(hash, edge.requests), hash.add(std::uint64_t{edge.calls});
  }
  return hash.text();
}

}  // namespace woa
