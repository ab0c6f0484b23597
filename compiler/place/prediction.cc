#include "compiler/place/prediction.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/assign/problem.h"
#include "compiler/place/call_route.h"
#include "compiler/place/placement_problem.h"

namespace woa {
namespace {

constexpr double kBytesOfKib = 1024, kThousandths = static_cast<double>(kPerMille);

class Predictor {
 public:
  explicit Predictor(const Plan& plan)
      : plan_(plan),
        certificate_(*plan.certificate),
        costs_(certificate_.costs),
        model_(certificate_.goal.model),
        ways_(plan.stages.size()) {}

  Result<Prediction> predict() {
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) add_stage(s);
    find_callers();
    for (std::uint32_t e = 0; e < plan_.edges.size(); ++e) add_edge(e);
    count_calls();
    find_longest_ways();
    WOA_RETURN_IF_ERROR(find_bottleneck());
    return std::move(out_);
  }

 private:
  struct Way {  // from the source to the end of a stage
    double ps = 0, hops = 0;
  };
  using Bundle = std::tuple<std::uint32_t, std::uint32_t, bool>;  // firing stage, what it sends to, is it back?

  [[nodiscard]] std::uint32_t at(std::uint32_t stage) const { return certificate_.placement[stage]; }
  [[nodiscard]] double firings(std::uint32_t stage) const {
    return static_cast<double>(costs_.stages[stage].firings) / kThousandths;
  }
  // The number of a scatter's elements is no result: a fused call's goes straight to who gathers.
  [[nodiscard]] Route route_of(std::uint32_t e) const {
    const EdgePlan& edge = plan_.edges[e];
    const bool straight = edge.count && model_ == "rpc-fused";
    return route_of_token(straight ? "woa" : model_, at(edge.from_stage), at(edge.to_stage),
                          edge.to_stage == kSinkStage);
  }
  [[nodiscard]] static double messages_of(const Route& route) {
    return static_cast<double>(std::ranges::count_if(route.hops(), [](const Hop& hop) { return hop.message; }));
  }
  [[nodiscard]] double time_of(const Route& route, double tokens, double bytes) const {
    double ps = 0;
    for (const Hop& hop : route.hops()) {
      const LinkCosts& link = costs_.links[hop.from * costs_.components.size() + hop.to];
      if (hop.message) ps += static_cast<double>(link.latency_ps) * tokens;
      if (hop.payload) ps += static_cast<double>(link.ps_per_kib) * bytes / kBytesOfKib;
    }
    return ps;
  }

  void add_stage(std::uint32_t s) {
    const Route route = route_of_firing(model_, at(s));
    const double number = messages_of(route) * firings(s);
    ways_[s] = {static_cast<double>(costs_.stages[s].time_ps[at(s)]) * firings(s) + time_of(route, firings(s), 0),
                number};
    out_.serial_ps += ways_[s].ps;
    out_.messages += number;
    out_.calls += number;
  }

  void add_edge(std::uint32_t e) {
    const EdgePlan& edge = plan_.edges[e];
    const EdgeCosts& cost = costs_.edges[e];
    const Route route = route_of(e);
    const double tokens = static_cast<double>(cost.tokens) / kThousandths, bytes = static_cast<double>(cost.bytes);
    const bool rides = model_ == "rpc-nested" && edge.to_stage == kSinkStage;
    const Way way =
        rides ? ride_back(edge, tokens, bytes) : Way{time_of(route, tokens, bytes), messages_of(route) * tokens};
    out_.serial_ps += way.ps;
    out_.messages += way.hops;
    if (!rides) add_bytes(edge, route, bytes);
    add_to_bundles(edge, route, tokens);
    if (edge.loop < 0) {
      next_[edge.from_stage].emplace_back(edge.to_stage, way);
      ++open_[edge.to_stage];
    } else {
      ways_[edge.to_stage].ps += way.ps;
      ways_[edge.to_stage].hops += way.hops;
    }
  }
  // Outputs ride back on returns to the writer of a stage's first input (runtime/rpc/call_model.h). Of several on one
  // return each but the first is a packet more.
  void find_callers() {
    for (const EdgePlan& edge : plan_.edges)
      if (edge.to_port == 0 && edge.loop < 0 && !edge.count) callers_.emplace(edge.to_stage, edge.from_stage);
  }
  Way ride_back(const EdgePlan& edge, double tokens, double bytes) {
    Way way;
    std::uint32_t stage = edge.from_stage;
    for (auto caller = callers_.find(stage); caller != callers_.end(); caller = callers_.find(stage)) {
      Route back;
      const bool first = ridden_.insert(stage).second;
      back.add({at(stage), at(caller->second), true, !first});
      way.ps += time_of(back, tokens, bytes);
      way.hops += messages_of(back) * tokens;
      if (!back.hops().empty()) out_.payload_bytes += bytes;
      stage = caller->second;
    }
    return way;
  }
  // What a stage itself sends to a controller on several edges of an output is counted on the first: the others name
  // the same block. What a relay sends goes by itself: arguments of a call, results that waited to be asked for.
  void add_bytes(const EdgePlan& edge, const Route& route, double bytes) {
    for (const Hop& hop : route.hops()) {
      if (!hop.payload) continue;
      const bool relayed = model_ == "rpc-polled" || (model_ == "rpc-hub" && hop.to != 0);
      const bool own = hop.from == at(edge.from_stage) && !relayed;
      if (own && sent_before(edge, hop.to)) continue;
      out_.payload_bytes += bytes;
    }
  }
  bool sent_before(const EdgePlan& edge, std::uint32_t to) {
    std::vector<ReplicaChoice>& sent = sent_[{edge.from_stage, edge.from_port, to}];
    const bool before = std::ranges::any_of(
        sent, [&](const ReplicaChoice& other) { return edge.choice.replicas == 1 || edge.choice == other; });
    sent.push_back(edge.choice);
    return before;
  }

  // A caller on the host bundles by call: arguments to a stage are one packet, results of a firing another. Otherwise
  // what goes from a firing to one stage is.
  void add_to_bundles(const EdgePlan& edge, const Route& route, double tokens) {
    const bool by_host = model_ != "woa" && model_ != "rpc-nested";
    for (const Hop& hop : route.hops()) {
      if (!hop.message) continue;
      if (!by_host) {
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
    for (const auto& [bundle, tokens] : bundles_) out_.calls += std::min(tokens, firings(std::get<0>(bundle)));
  }

  // Edges that take no loop form no cycle (validate()).
  void find_longest_ways() {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s)
      if (!open_.contains(s)) ready.push_back(s);
    std::vector<Way> before(plan_.stages.size());
    while (!ready.empty()) {
      const std::uint32_t s = ready.back();
      ready.pop_back();
      const Way end{before[s].ps + ways_[s].ps, before[s].hops + ways_[s].hops};
      out_.critical_path_ps = std::max(out_.critical_path_ps, end.ps);
      out_.hops = std::max(out_.hops, end.hops);
      for (const auto& [to, way] : next_[s]) {
        before[to] = {std::max(before[to].ps, end.ps + way.ps), std::max(before[to].hops, end.hops + way.hops)};
        if (--open_[to] == 0) ready.push_back(to);
      }
    }
  }

  Status find_bottleneck() {
    PlacementGoal goal;
    goal.model = model_;
    goal.objective = "throughput";
    const auto problem = placement_problem(costs_, goal);
    if (!problem.ok()) return problem.status();
    out_.bottleneck = "none";
    for (const assign::Row& row : problem->rows) {
      if (row.limit) continue;
      const auto load = static_cast<double>(assign::sum_of(row, *problem, certificate_.placement));
      if (load > out_.period_ps) out_.period_ps = load, out_.bottleneck = row.name;
    }
    return {};
  }

  const Plan& plan_;
  const Certificate& certificate_;
  const CostTable& costs_;
  const std::string& model_;
  std::vector<Way> ways_;  // of each stage by itself
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, Way>>> next_;
  std::map<std::uint32_t, std::size_t> open_;  // edges into a stage that are not looked at yet
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<ReplicaChoice>> sent_;
  std::map<Bundle, double> bundles_;
  std::map<std::uint32_t, std::uint32_t> callers_;  // by stage: that its return goes to
  std::set<std::uint32_t> ridden_;                  // stages whose return has an output
  Prediction out_;
};

}  // namespace

Result<Prediction> predict(const Plan& plan) {
  if (!plan.certificate)
    return Status(Code::kNotFound, "nothing is known of what the plan costs: it has no certificate");
  const Certificate& certificate = *plan.certificate;
  if (certificate.costs.stages.size() != plan.stages.size() || certificate.costs.edges.size() != plan.edges.size() ||
      certificate.placement.size() != plan.stages.size())
    return Status(Code::kInvalid, "the certificate is about other stages or edges than the plan's");
  return Predictor(plan).predict();
}

}  // namespace woa
