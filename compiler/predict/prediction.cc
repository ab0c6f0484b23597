#include "compiler/predict/prediction.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/place/call_route.h"
#include "compiler/place/legs.h"
#include "compiler/place/placement_problem.h"
#include "compiler/place/solver/problem.h"
#include "compiler/predict/critical_path.h"
#include "runtime/plan/room.h"

namespace woa {
namespace {

class Predictor {
 public:
  explicit Predictor(const CertifiedPlan& plan)
      : certificate_(*plan.certificate),
        costs_(certificate_.costs),
        model_(call_model(certificate_.goal.model)),
        plan_(plan),
        counts_(stages_with_counts(costs_)),
        ways_(costs_.stages.size()),
        awake_ps_(awake_times()) {}

  Result<Prediction> predict() {
    for (std::uint32_t s = 0; s < costs_.stages.size(); ++s) add_stage(s);
    find_rides();
    for (std::uint32_t e = 0; e < costs_.edges.size(); ++e) add_edge(e);
    count_calls();
    count_own_bytes();
    const Way longest = critical_path(plan_, costs_, ways_, edge_ways_);
    wake_readers();
    const Way alone = critical_path(plan_, costs_, ways_, edge_ways_);
    WOA_RETURN_IF_ERROR(find_bottleneck());
    for (const Sum number : {messages_, calls_, longest.hops, payload_bytes_, serial_ps_, longest.ps, alone.ps})
      if (number > std::numeric_limits<std::int64_t>::max())
        return Status(Code::kInvalid, "the predicted times exceed 64 bits");
    out_.messages = static_cast<std::uint64_t>(messages_);
    out_.calls = static_cast<std::uint64_t>(calls_);
    out_.hops = static_cast<std::uint64_t>(longest.hops);
    out_.payload_bytes = static_cast<std::uint64_t>(payload_bytes_);
    out_.serial_ps = static_cast<std::int64_t>(serial_ps_);
    out_.critical_path_ps = static_cast<std::int64_t>(longest.ps);
    out_.critical_kernels_ps = static_cast<std::int64_t>(longest.kernels_ps);
    out_.alone_ps = static_cast<std::int64_t>(alone.ps);
    return std::move(out_);
  }

 private:
  struct Sent {  // by edge
    std::vector<ReplicaChoice> choices;
    std::vector<std::uint64_t> bytes;
  };
  using Bundle = std::tuple<std::uint32_t, std::uint32_t, bool>;  // firing stage, what it sends to, on the way back?

  [[nodiscard]] std::uint32_t at(std::uint32_t stage) const { return certificate_.placement[stage]; }
  [[nodiscard]] std::uint64_t firings(std::uint32_t stage) const { return costs_.stages[stage].firings; }
  [[nodiscard]] Route route_of(const EdgePlan& edge) const {
    return route_of_token(model_, at(edge.from_stage), at(edge.to_stage), edge.to_stage == kSinkStage, edge.count);
  }
  [[nodiscard]] static Sum messages_of(const Route& route, const EdgeCosts& edge) {
    Sum messages = 0;
    for (const Hop& hop : route.hops()) messages += hop.message ? crossing(hop, edge).tokens : 0;
    return messages;
  }
  [[nodiscard]] static Sum messages_of(const Route& route, std::uint64_t tokens) {
    EdgeCosts edge;
    edge.tokens = tokens;
    return messages_of(route, edge);
  }

  void add_stage(std::uint32_t s) {
    const Route route = route_of_firing(model_, at(s), counts_[s]);
    const Sum kernels = Sum{costs_.stages[s].time_ps[at(s)]} * firings(s) / kPerMillion;
    const bool is_kernel = plan_.stages[s].role == StageRole::kKernel;
    ways_[s] = {kernels + cost_of(costs_, route, firings(s), 0), is_kernel ? kernels : 0,
                messages_of(route, firings(s))};
    serial_ps_ += ways_[s].ps;
    messages_ += ways_[s].hops;
    calls_ += ways_[s].hops;
  }

  void add_edge(std::uint32_t e) {
    const EdgePlan& edge = plan_.edges[e];
    const EdgeCosts& cost = costs_.edges[e];
    const Route route = route_of(edge);
    const bool rides = model_.nested && edge.to_stage == kSinkStage;
    const Way way = rides ? ride_back(e) : Way{cost_of(costs_, route, cost), 0, messages_of(route, cost)};
    serial_ps_ += way.ps;
    messages_ += way.hops;
    if (!rides && !edge.count) add_bytes(edge, route, cost);  // a count has no payload
    add_to_bundles(edge, route, cost);
    edge_ways_.push_back(way);
  }
  // Under rpc-nested: finds the ways of outputs.
  void find_rides() {
    if (!model_.nested) return;
    Callers callers(ways_.size());
    for (const EdgePlan& edge : plan_.edges)
      if (is_call(edge.to_port, edge.loop, edge.count) && !callers[edge.to_stage])
        callers[edge.to_stage] = edge.from_stage;
    rides_ = legs_of(costs_, model_, callers);
    std::erase_if(rides_, [](const Leg& leg) { return leg.kind != LegKind::kRide && leg.kind != LegKind::kNextRide; });
  }
  Way ride_back(std::uint32_t e) {
    Way way;
    for (const Leg& leg : rides_) {
      if (leg.edge != e) continue;
      const Route back = route_of_leg(model_, at(leg.costs.from), at(leg.costs.to), leg.kind);
      way.ps += cost_of(costs_, back, leg.costs);
      way.hops += messages_of(back, leg.costs);
      if (!back.hops().empty()) payload_bytes_ += leg.costs.bytes;
    }
    return way;
  }
  // Edges on which a stage itself sends an output to one controller name the same block, which counts once
  // (runtime/plan/plan.h). A relay sends each token by itself: arguments of a call, results that waited for a request.
  void add_bytes(const EdgePlan& edge, const Route& route, const EdgeCosts& cost) {
    for (const Hop& hop : route.hops()) {
      if (!hop.payload) continue;
      const std::uint64_t bytes = crossing(hop, cost).bytes;
      const bool relayed = model_.by_host && !model_.fused && (model_.polled || hop.to != 0);
      const bool own = hop.from == at(edge.from_stage) && !relayed;
      if (own) {
        Sent& sent = sent_[{edge.from_stage, edge.from_port, hop.to}];
        sent.choices.push_back(edge.choice), sent.bytes.push_back(bytes);
      } else {
        payload_bytes_ += bytes;
      }
    }
  }
  void count_own_bytes() {
    for (const auto& [output, sent] : sent_)
      for (std::size_t k = 0; k < sent.choices.size(); ++k)
        if (counts_payload(sent.choices, k)) payload_bytes_ += sent.bytes[k];
  }

  // A caller on the host bundles by call: arguments to a stage are one packet, results of a firing another. Without
  // such a caller, all that goes from a firing to one stage is one packet.
  void add_to_bundles(const EdgePlan& edge, const Route& route, const EdgeCosts& cost) {
    for (const Hop& hop : route.hops()) {
      if (!hop.message) continue;
      const std::uint64_t tokens = crossing(hop, cost).tokens;
      if (!model_.by_host) {
        bundles_[{edge.from_stage, edge.to_stage, hop.from != at(edge.from_stage)}] += tokens;
      } else if (hop.payload) {
        const bool result = hop.to == 0;
        bundles_[{result ? edge.from_stage : edge.to_stage, 0, result}] += tokens;
      } else {
        bundles_[{edge.from_stage, 1, true}] += tokens;  // the host asks for results
      }
    }
  }
  void count_calls() {
    for (const auto& [bundle, tokens] : bundles_) calls_ += std::min(tokens, Sum{firings(std::get<0>(bundle))});
  }

  // By component: as long as a controller waits for work before it sleeps.
  [[nodiscard]] std::vector<std::int64_t> awake_times() const {
    std::map<std::string, std::set<std::uint32_t>> users;  // by group of cores; the host always runs
    const auto use = [&](std::uint32_t component) { users[costs_.components[component].cores].insert(component); };
    use(kHostComponent);
    for (const std::uint32_t component : certificate_.placement) use(component);
    std::vector<std::int64_t> times;
    for (const ComponentCosts& component : costs_.components) {
      const auto group = costs_.cores.find(component.cores);
      const bool crowded = group != costs_.cores.end() && users[component.cores].size() > group->second;
      times.push_back(crowded ? kAwakeCrowded_ps : kAwake_ps);
    }
    return times;
  }
  // Does a firing of the stage take so long that a controller that waits for it falls asleep?
  [[nodiscard]] bool outlasts(std::uint32_t stage, std::uint32_t waiting) const {
    return costs_.stages[stage].time_ps[at(stage)] >= awake_ps_[waiting];
  }
  // A controller that waits for a long firing is asleep when its first message comes. Readers of the source are asleep,
  // too, if a stage that feeds the sink takes long: the host slept until it was woken.
  void wake_readers() {
    bool source_waits = outlasts(kSourceStage, kHostComponent);
    for (const EdgePlan& edge : plan_.edges)
      source_waits |= edge.to_stage == kSinkStage && outlasts(edge.from_stage, kHostComponent);
    const std::vector<bool> late = find_late_returns();
    const auto wake = [&](Way& way, Sum times) { way.ps += times * costs_.wake_ps / kPerMillion; };
    for (std::uint32_t s = 0; s < ways_.size(); ++s) {
      const Route route = route_of_firing(model_, at(s), counts_[s]);
      for (const Hop& hop : route.hops())
        if (hop.to != at(s) && outlasts(s, hop.to)) wake(ways_[s], firings(s));
    }
    for (std::uint32_t e = 0; e < edge_ways_.size(); ++e) {
      const EdgePlan& edge = plan_.edges[e];
      const Route route = route_of(edge);
      for (const Hop& hop : route.hops()) {
        const bool asleep = edge.from_stage == kSourceStage ? source_waits : outlasts(edge.from_stage, hop.to);
        if (finds_asleep(hop, edge, asleep, late[edge.to_stage]))
          wake(edge_ways_[e], std::min<Sum>(crossing(hop, costs_.edges[e]).tokens, firings(edge.from_stage)));
      }
    }
  }
  // `asleep`: are those that wait for the edge's writer? The writer's own controller has just fired, so a message back
  // to it finds it awake, unless it is the return of a call that took long. A caller who polls is awake once the answer
  // has come: the number of a scatter's elements is one.
  [[nodiscard]] bool finds_asleep(const Hop& hop, const EdgePlan& edge, bool asleep, bool late) const {
    if (!hop.message) return false;
    if (hop.to == at(edge.from_stage)) return model_.nested && late;
    return asleep && !(model_.polled && !edge.count && hop.to == kHostComponent);
  }
  // By stage: under rpc-nested, does it return only after a long firing?
  [[nodiscard]] std::vector<bool> find_late_returns() const {
    std::vector<bool> late(ways_.size(), false);
    for (std::uint32_t s = 0; s < ways_.size(); ++s) late[s] = outlasts(s, at(s));
    for (bool changed = true; changed && model_.nested;) {
      changed = false;
      for (const EdgePlan& edge : plan_.edges) {
        if (late[edge.from_stage] || !late[edge.to_stage]) continue;
        late[edge.from_stage] = changed = true;
      }
    }
    return late;
  }

  Status find_bottleneck() {
    PlacementGoal goal;
    goal.model = certificate_.goal.model;
    goal.objective = "throughput";
    std::vector<std::string> names;
    for (const StagePlan& stage : plan_.stages) names.push_back(stage.name);
    const auto problem = placement_problem(costs_, goal, names);
    if (!problem.ok()) return problem.status();
    out_.bottleneck = "none";
    for (const assign::Row& row : problem->rows) {
      if (row.limit) continue;
      const Sum load = assign::sum_of(row, *problem, certificate_.placement);
      if (load <= out_.period_ps) continue;
      if (load > std::numeric_limits<std::int64_t>::max())
        return {Code::kInvalid, "the " + row.name + " is more than can be counted"};
      out_.period_ps = static_cast<std::int64_t>(load);
      out_.bottleneck = row.name;
    }
    return {};
  }

  const Certificate& certificate_;
  const CostTable& costs_;
  const CallModel& model_;
  const CertifiedPlan& plan_;
  const std::vector<bool> counts_;     // by stage: does it scatter?
  std::vector<Way> ways_, edge_ways_;  // of all firings of a stage, and of all tokens of an edge
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Sent> sent_;  // by stage, port, component
  std::map<Bundle, Sum> bundles_;
  const std::vector<std::int64_t> awake_ps_;  // by component
  std::vector<Leg> rides_;                    // under rpc-nested: outputs on their ways back
  Sum messages_ = 0, calls_ = 0, payload_bytes_ = 0, serial_ps_ = 0;
  Prediction out_;
};

}  // namespace

Result<Prediction> predict(const CertifiedPlan& plan) {
  if (!plan.certificate)
    return Status(Code::kNotFound, "nothing is known of what the plan costs: it has no certificate");
  const Certificate& certificate = *plan.certificate;
  const std::size_t stages = certificate.costs.stages.size(), edges = certificate.costs.edges.size();
  if (stages != plan.stages.size() || edges != plan.edges.size() || certificate.placement.size() != stages)
    return Status(Code::kInvalid, "the certificate is about other stages or edges than the plan's");
  CertifiedPlan raised = plan;  // as it runs on the workers that the certificate counts
  raise_room(raised, workers_of(plan, 1), workers_counted(plan));
  return Predictor(raised).predict();
}

}  // namespace woa
