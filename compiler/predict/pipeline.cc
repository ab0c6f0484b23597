#include "compiler/predict/pipeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "compiler/check/components.h"
#include "compiler/place/call_route.h"
#include "compiler/place/placement_problem.h"
#include "runtime/plan/index.h"

namespace woa {
namespace {

constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

class PipelineMaker {
 public:
  explicit PipelineMaker(const CertifiedPlan& plan)
      : plan_(plan), costs_(plan.certificate->costs), at_(plan.certificate->placement), index_(plan) {}

  Result<Pipeline> make() {
    out_.window = plan_.window;
    WOA_RETURN_IF_ERROR(find_turns());
    add_controllers();
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) add_stage(s);
    join_loops();
    out_.edges.resize(plan_.edges.size());
    for (std::uint32_t e = 0; e < plan_.edges.size(); ++e) add_edge(e);
    return std::move(out_);
  }

 private:
  [[nodiscard]] const InputPortPlan& input(const EdgePlan& edge) const {
    return plan_.stages[edge.to_stage].inputs[edge.to_port];
  }

  // Finds the instances in which each stage has work. Held tokens tell nothing: they go to all replicas.
  Status find_turns() {
    for (const EdgePlan& edge : plan_.edges) {
      if (edge.choice.bits != 0) continue;
      out_.turns = std::lcm(out_.turns, edge.choice.replicas);
      if (out_.turns > kMostInstancesApart)
        return {Code::kUnsupported,
                "the replicas of the plan's stages have numbers that have no common multiple up to " +
                    std::to_string(kMostInstancesApart) + "; give stages numbers of replicas that divide each other"};
    }
    InstanceSet all;
    for (std::uint32_t k = 0; k < out_.turns; ++k) all.set(k);
    turns_.assign(plan_.stages.size(), all);
    for (const EdgePlan& edge : plan_.edges)
      if (!input(edge).hold) turns_[edge.to_stage].reset();
    for (bool changed = true; changed;) {
      changed = false;
      for (const EdgePlan& edge : plan_.edges) {
        if (input(edge).hold) continue;
        const InstanceSet more = turns_of(edge) & ~turns_[edge.to_stage];
        changed = changed || more.any();
        turns_[edge.to_stage] |= more;
      }
    }
    return {};
  }
  [[nodiscard]] InstanceSet turns_of(const EdgePlan& edge) const {
    InstanceSet turns = turns_[edge.from_stage];
    for (std::uint32_t k = 0; k < out_.turns; ++k)
      if (!edge.choice.may_take(k)) turns.reset(k);
    return turns;
  }
  // The time in an instance that has the job, from the mean over all instances.
  [[nodiscard]] Sum in_turn(Sum mean, const InstanceSet& turns) const {
    return turns.none() ? 0 : mean * out_.turns / static_cast<Sum>(turns.count());
  }

  std::uint32_t add_station(std::uint32_t workers, std::uint32_t pool) {
    out_.stations.push_back({workers, pool});
    return static_cast<std::uint32_t>(out_.stations.size() - 1);
  }
  std::uint32_t add_pool(std::uint64_t cores) {
    out_.pools.push_back(static_cast<std::uint32_t>(cores));
    return static_cast<std::uint32_t>(out_.pools.size() - 1);
  }
  // Adds the stations of controllers first, numbered as components. The host has one thread, and tells the others what
  // has retired.
  void add_controllers() {
    std::map<std::string, std::uint32_t> groups;
    for (const ComponentCosts& component : costs_.components) {
      const bool host = out_.stations.empty();
      // The next token from the host comes with the news, so it must not be quicker.
      const Sum ends = Sum{costs_.components.front().message_ps} + component.message_ps;
      out_.told_ps.push_back(host ? Sum{0} : std::max(Sum{0}, costs_.links[out_.stations.size()].latency_ps - ends));
      if (host || component.cores.empty()) {
        add_station(host ? 1 : component.workers, add_pool(kUnbounded));
        continue;
      }
      const auto [group, added] = groups.try_emplace(component.cores);
      if (added) group->second = add_pool(std::min(costs_.cores.at(component.cores), std::uint64_t{kUnbounded}));
      add_station(component.workers, group->second);
    }
  }

  std::uint32_t add_job(PipelineJob job) {
    out_.jobs.push_back(std::move(job));
    return static_cast<std::uint32_t>(out_.jobs.size() - 1);
  }
  void join(std::uint32_t before, std::uint32_t after) {
    out_.jobs[before].next.push_back(after);
    ++out_.jobs[after].waits;
  }

  // Adds the jobs of stages first, numbered as stages.
  void add_stage(std::uint32_t s) {
    const StageCosts& stage = costs_.stages[s];
    PipelineJob job;
    job.station = at_[s];
    job.turns = turns_[s];
    job.time_ps = in_turn(Sum{stage.time_ps[at_[s]]} * stage.firings / kPerMillion, job.turns);
    job.in_order = stage.serial;
    add_job(std::move(job));
  }

  // Adds a job for each loop, with the loops in it, that waits for all their stages.
  void join_loops() {
    const Adjacency next = readers_by_stage(plan_);
    std::vector<std::uint32_t> all(plan_.stages.size());
    std::iota(all.begin(), all.end(), 0U);
    end_.resize(all.size());
    for (const auto& stages : strong_components(next, all, std::vector<std::uint32_t>(all.size(), 0), 0)) {
      std::uint32_t end = stages.front();
      if (stages.size() > 1 || std::ranges::count(next[end], end) != 0) {
        end = add_job({});
        for (const std::uint32_t s : stages) out_.jobs[end].turns |= turns_[s], join(s, end);
      }
      for (const std::uint32_t s : stages) end_[s] = end;
    }
  }
  [[nodiscard]] bool is_within(const EdgePlan& edge) const { return end_[edge.from_stage] == end_[edge.to_stage]; }

  void add_edge(std::uint32_t e) {
    const EdgePlan& edge = plan_.edges[e];
    PipelineEdge& blocks = out_.edges[e];
    blocks.writer = edge.from_stage;
    blocks.turns = turns_of(edge);
    out_.jobs[edge.from_stage].claims.push_back(e);
    const EdgePlan& last = last_reading(edge, blocks.news_ps);
    if (input(last).hold) blocks.holder = at_[last.to_stage];
    if (!blocks.holder) out_.jobs[is_within(edge) ? end_[edge.from_stage] : last.to_stage].frees.push_back(e);
    const std::uint32_t before = is_within(edge) ? edge.from_stage : end_[edge.from_stage];
    const std::uint32_t after = edge.loop >= 0 ? end_[edge.to_stage] : edge.to_stage;
    join(add_way(e, before, blocks.turns), after);
  }

  // The edge by which the blocks come to their last reader: stages that write in place pass blocks on, and later back.
  const EdgePlan& last_reading(const EdgePlan& first, Sum& news_ps) const {
    const EdgePlan* edge = &first;
    for (std::size_t passed = 0; passed <= kMaxPassed; ++passed) {
      news_ps += costs_.links[at_[edge->to_stage] * costs_.components.size() + at_[edge->from_stage]].latency_ps;
      const EdgePlan* const behind = passed_on(*edge);
      if (behind == nullptr) break;
      edge = behind;
    }
    return *edge;
  }
  [[nodiscard]] const EdgePlan* passed_on(const EdgePlan& edge) const {
    const std::vector<OutputPortPlan>& outputs = plan_.stages[edge.to_stage].outputs;
    const auto over = std::ranges::find(outputs, static_cast<std::int32_t>(edge.to_port), &OutputPortPlan::in_place);
    if (over == outputs.end()) return nullptr;
    return &plan_.edges[index_.all_out[edge.to_stage][static_cast<std::size_t>(over - outputs.begin())].front()];
  }

  // Adds the jobs of the edge's route behind `before`; returns the last.
  std::uint32_t add_way(std::uint32_t e, std::uint32_t before, const InstanceSet& turns) {
    const EdgePlan& edge = plan_.edges[e];
    const EdgeCosts& cost = costs_.edges[e];
    const Route route =
        route_of_token(kWoa, at_[edge.from_stage], at_[edge.to_stage], edge.to_stage == kSinkStage, edge.count);
    Sum left = cost_of(costs_, route, cost.tokens, cost.bytes) - add_messages(edge, route, cost.tokens);
    for (const auto& [from, to] : links_of(costs_, route)) {
      const LinkCosts& link = costs_.links[from * costs_.components.size() + to];
      const Sum time = transfer_ps(link, cost.bytes);
      if (time == 0) continue;
      left -= time;
      PipelineJob job;
      job.station = station_of(from, to);
      job.time_ps = in_turn(time, turns);
      job.turns = turns;
      const std::uint32_t leg = add_job(std::move(job));
      join(std::exchange(before, leg), leg);
    }
    if (left <= 0) return before;
    PipelineJob job;
    job.delay_ps = in_turn(left, turns);
    job.turns = turns;
    const std::uint32_t latency = add_job(std::move(job));
    join(before, latency);
    return latency;
  }
  // Adds what the messages take of both ends to the jobs there. Returns how much of their latency that is.
  Sum add_messages(const EdgePlan& edge, const Route& route, std::uint64_t tokens) {
    if (route.hops().empty()) return 0;
    Sum all = 0;
    for (const std::uint32_t s : {edge.from_stage, edge.to_stage}) {
      const Sum time = Sum{costs_.components[at_[s]].message_ps} * tokens / kPerMillion;
      out_.jobs[s].time_ps += in_turn(time, turns_[s]);
      all += time;
    }
    return all;
  }
  std::uint32_t station_of(std::uint32_t from, std::uint32_t to) {
    const auto [link, added] = links_.emplace(std::pair(from, to), 0);
    if (added) link->second = add_station(1, add_pool(1));
    return link->second;
  }

  const CertifiedPlan& plan_;
  const CostTable& costs_;
  const std::vector<std::uint32_t>& at_;  // component by stage
  const PlanIndex index_;
  Pipeline out_;
  std::vector<InstanceSet> turns_;  // by stage
  std::vector<std::uint32_t> end_;  // by stage: the job that ends it or its loop
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> links_;  // station of each link in use
};

}  // namespace

Result<Pipeline> make_pipeline(const CertifiedPlan& plan) { return PipelineMaker(plan).make(); }

}  // namespace woa
