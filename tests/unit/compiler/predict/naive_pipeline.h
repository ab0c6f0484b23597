// Runs a plan as its controllers would, by what docs/liveness.md says of it and with the runtime's own credits: at each
// point in time it looks at everything. Shares nothing with compiler/predict/pipeline.h. For plans without replicas,
// without kernels in place, and with no loops but of stages that feed themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "runtime/memory/credits.h"

namespace woa::test {

class NaivePipeline {
 public:
  NaivePipeline(const CertifiedPlan& plan, const std::vector<std::uint32_t>& room)
      : plan_(plan), costs_(plan.certificate->costs), at_(plan.certificate->placement), oldest_at_(k()) {
    for (std::size_t e = 0; e < plan.edges.size(); ++e)
      credits_.emplace_back(plan.edges[e].min_blocks, room[e] * plan.edges[e].min_blocks, plan.window);
    for (const ComponentCosts& component : costs_.components) workers_.push_back(component.workers);
    cores_ = costs_.cores;
  }

  // The mean time between two of `count` instances, without the first fifth.
  double period(std::size_t count) {
    admit();
    while (ends_.size() < count) {
      start_all();
      if (calendar_.empty()) return -1;  // it stands still
      now_ = calendar_.begin()->first;
      for (bool first = true; first || (!calendar_.empty() && calendar_.begin()->first == now_); first = false) {
        const auto due = calendar_.extract(calendar_.begin());
        for (const What& what : due.mapped()) happen(what);
      }
    }
    const std::size_t fifth = count / 5;
    return static_cast<double>(ends_[count - 1] - ends_[fifth]) / static_cast<double>(count - 1 - fifth);
  }

 private:
  enum class Kind : std::uint8_t { kFired, kCrossed, kArrived, kReturned, kTold };
  struct What {
    Kind kind = Kind::kFired;
    std::size_t of = 0;  // stage; edge; kTold: component
    std::uint64_t instance = 0;
  };
  struct Instance {
    std::vector<std::uint32_t> arrived;        // by stage: tokens
    std::vector<bool> started, done;           // by stage
    std::vector<bool> at_link, over, on_link;  // by edge
    std::size_t left = 0;                      // stages to fire and tokens to arrive
  };

  [[nodiscard]] std::size_t k() const { return costs_.components.size(); }
  [[nodiscard]] bool to_itself(const EdgePlan& edge) const { return edge.from_stage == edge.to_stage; }
  [[nodiscard]] const LinkCosts& link(std::uint32_t from, std::uint32_t to) const {
    return costs_.links[from * k() + to];
  }
  [[nodiscard]] const LinkCosts& link_of(const EdgePlan& edge) const {
    return link(at_[edge.from_stage], at_[edge.to_stage]);
  }
  [[nodiscard]] bool held(const EdgePlan& edge) const { return plan_.stages[edge.to_stage].inputs[edge.to_port].hold; }
  [[nodiscard]] std::int64_t on_link_ps(std::size_t e) const {
    const std::uint64_t bytes = costs_.edges[e].bytes / kPerMillion;
    return static_cast<std::int64_t>((link_of(plan_.edges[e]).ps_per_kib * bytes + 1023) / 1024);
  }
  // The time that the tokens of an edge take of a controller at one of its ends.
  [[nodiscard]] std::uint64_t message_ps(std::size_t e, std::uint32_t c) const {
    const EdgePlan& edge = plan_.edges[e];
    if (at_[edge.from_stage] == at_[edge.to_stage]) return 0;
    return costs_.components[c].message_ps * costs_.edges[e].tokens / kPerMillion;
  }
  // Their latency, less what is the work of both ends.
  [[nodiscard]] std::uint64_t delay_ps(std::size_t e) const {
    const EdgePlan& edge = plan_.edges[e];
    const std::uint64_t all = link_of(edge).latency_ps * costs_.edges[e].tokens / kPerMillion,
                        ends = message_ps(e, at_[edge.from_stage]) + message_ps(e, at_[edge.to_stage]);
    return all > ends ? all - ends : 0;
  }
  // From the host's knowing that an instance is over until the controller does: as long as a token is on its way.
  [[nodiscard]] std::uint64_t told_ps(std::uint32_t c) const {
    const std::uint64_t all = link(0, c).latency_ps,
                        ends = c == 0 ? 0 : costs_.components[0].message_ps + costs_.components[c].message_ps;
    return all > ends ? all - ends : 0;
  }
  [[nodiscard]] std::size_t tokens_to(std::size_t stage) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        plan_.edges, [&](const EdgePlan& edge) { return edge.to_stage == stage && !to_itself(edge); }));
  }
  void in(std::uint64_t ps, What what) { calendar_[now_ + static_cast<std::int64_t>(ps)].push_back(what); }

  void admit() {
    for (; admitted_ < oldest_ + plan_.window; ++admitted_) {
      Instance& made = all_[admitted_];
      made.arrived.assign(plan_.stages.size(), 0);
      made.started.assign(plan_.stages.size(), false), made.done = made.started;
      made.at_link.assign(plan_.edges.size(), false), made.over = made.on_link = made.at_link;
      made.left = plan_.stages.size();
      for (const EdgePlan& edge : plan_.edges) made.left += to_itself(edge) ? 0 : 1;
    }
  }

  void start_all() {
    for (auto& [i, instance] : all_) {
      for (std::size_t s = 0; s < plan_.stages.size(); ++s)
        if (!instance.started[s] && instance.arrived[s] == tokens_to(s)) start_stage(s, i, instance);
      for (std::size_t e = 0; e < plan_.edges.size(); ++e)
        if (instance.at_link[e] && !instance.on_link[e]) start_transfer(e, i, instance);
    }
  }
  void start_stage(std::size_t s, std::uint64_t i, Instance& instance) {
    const std::uint32_t c = at_[s];
    const std::string& group = costs_.components[c].cores;
    if (workers_[c] == 0 || (!group.empty() && cores_[group] == 0)) return;
    for (std::size_t e = 0; e < plan_.edges.size(); ++e)
      if (plan_.edges[e].from_stage == s && !credits_[e].available(i, oldest_at_[c], plan_.edges[e].min_blocks)) return;
    for (std::size_t e = 0; e < plan_.edges.size(); ++e)
      for (std::uint32_t n = 0; plan_.edges[e].from_stage == s && n < plan_.edges[e].min_blocks; ++n)
        credits_[e].take(i);
    --workers_[c];
    if (!group.empty()) --cores_[group];
    instance.started[s] = true;
    std::uint64_t time = costs_.stages[s].time_ps[c] * costs_.stages[s].firings / kPerMillion;
    for (std::size_t e = 0; e < plan_.edges.size(); ++e)
      if (plan_.edges[e].from_stage == s || plan_.edges[e].to_stage == s) time += message_ps(e, c);
    in(time, {Kind::kFired, s, i});
  }
  void start_transfer(std::size_t e, std::uint64_t i, Instance& instance) {
    bool& busy = busy_[{at_[plan_.edges[e].from_stage], at_[plan_.edges[e].to_stage]}];
    if (std::exchange(busy, true)) return;
    instance.on_link[e] = true;
    in(static_cast<std::uint64_t>(on_link_ps(e)), {Kind::kCrossed, e, i});
  }

  void happen(const What& what) {
    if (what.kind == Kind::kTold) return hear(static_cast<std::uint32_t>(what.of), what.instance);
    if (what.kind == Kind::kReturned) return give(what.of, what.instance);
    Instance& instance = all_.at(what.instance);
    if (what.kind == Kind::kFired) return fired(what.of, what.instance, instance);
    const EdgePlan& edge = plan_.edges[what.of];
    if (what.kind == Kind::kCrossed) {
      busy_[{at_[edge.from_stage], at_[edge.to_stage]}] = false;
      return in(delay_ps(what.of), {Kind::kArrived, what.of, what.instance});
    }
    ++instance.arrived[edge.to_stage];
    one_less(instance, what.instance);
  }
  void fired(std::size_t s, std::uint64_t i, Instance& instance) {
    ++workers_[at_[s]];
    if (const std::string& group = costs_.components[at_[s]].cores; !group.empty()) ++cores_[group];
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
      const EdgePlan& edge = plan_.edges[e];
      if (edge.to_stage == s && !held(edge)) in(link(at_[s], at_[edge.from_stage]).latency_ps, {Kind::kReturned, e, i});
      if (edge.from_stage != s || to_itself(edge)) continue;
      if (on_link_ps(e) > 0)
        instance.at_link[e] = true;
      else
        in(delay_ps(e), {Kind::kArrived, e, i});
    }
    one_less(instance, i);
  }
  void give(std::size_t e, std::uint64_t i) {
    for (std::uint32_t n = 0; n < plan_.edges[e].min_blocks; ++n)
      if (!credits_[e].give(i)) std::abort();
  }
  void one_less(Instance& instance, std::uint64_t i) {
    if (--instance.left != 0) return;
    ended_[i] = now_;
    while (ended_.contains(oldest_)) {
      ends_.push_back(ended_[oldest_]);
      all_.erase(oldest_);
      ++oldest_;
      for (std::uint32_t c = 0; c < k(); ++c) in(told_ps(c), {Kind::kTold, c, oldest_});
    }
    admit();
  }
  // The controller drops the held tokens of the instances that are over.
  void hear(std::uint32_t c, std::uint64_t oldest) {
    oldest_at_[c] = std::max(oldest_at_[c], oldest);
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
      const EdgePlan& edge = plan_.edges[e];
      if (held(edge) && at_[edge.to_stage] == c)
        in(link(c, at_[edge.from_stage]).latency_ps, {Kind::kReturned, e, oldest - 1});
    }
  }

  const CertifiedPlan& plan_;
  const CostTable& costs_;
  const std::vector<std::uint32_t>& at_;
  std::vector<EdgeCredits> credits_;
  std::vector<std::uint32_t> workers_;
  std::map<std::string, std::uint64_t> cores_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> busy_;  // links
  std::vector<std::uint64_t> oldest_at_;                          // by component
  std::map<std::uint64_t, Instance> all_;                         // in flight
  std::map<std::uint64_t, std::int64_t> ended_;
  std::vector<std::int64_t> ends_;
  std::map<std::int64_t, std::vector<What>> calendar_;
  std::uint64_t oldest_ = 0, admitted_ = 0;
  std::int64_t now_ = 0;
};

}  // namespace woa::test
