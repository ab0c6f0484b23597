#include "compiler/predict/traffic.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "runtime/plan/index.h"

namespace woa {
namespace {

class Counter {
 public:
  explicit Counter(const CertifiedPlan& plan)
      : plan_(plan),
        costs_(plan.certificate->costs),
        index_(plan),
        traffic_(plan.edges.size()),
        unread_(plan.edges.size()),
        known_(plan.edges.size()) {}

  std::vector<Traffic> count() {
    for (std::uint32_t e = 0; e < plan_.edges.size(); ++e) count(e, kMaxPassed);
    return std::move(traffic_);
  }

 private:
  // `depth`: relays in a row that are still followed; validate() allows no more.
  Traffic count(std::uint32_t e, std::size_t depth) {
    if (known_[e]) return traffic_[e];
    known_[e] = true;
    const EdgePlan& edge = plan_.edges[e];
    if (e < costs_.edges.size()) {
      traffic_[e] = {per_instance(costs_.edges[e].tokens), per_instance(costs_.edges[e].bytes)};
      unread_[e] = {per_instance(costs_.edges[e].unread), per_instance(costs_.edges[e].unread_bytes)};
    } else if (depth > 0) {
      const bool relay = plan_.stages[edge.from_stage].role == StageRole::kRelay;
      traffic_[e] = relay ? passed_on(e, depth) : scatters(edge) ? elements_of(edge) : signals_of(edge);
    }
    if (edge.count) traffic_[e].bytes = 0;
    return traffic_[e];
  }
  // All that comes by the relay's input, except unread tokens, which stay with a relay that holds them.
  Traffic passed_on(std::uint32_t e, std::size_t depth) {
    Traffic sum;
    const EdgePlan& edge = plan_.edges[e];
    const bool held = plan_.stages[edge.from_stage].inputs[edge.from_port].hold;
    const auto &tokens = index_.in_edges[edge.from_stage][edge.from_port],
               &counts = index_.in_counts[edge.from_stage][edge.from_port];
    for (const std::uint32_t in : tokens.empty() || (edge.count && !counts.empty()) ? counts : tokens) {
      const Traffic one = count(in, depth - 1);
      const Traffic& unread = unread_[in];
      sum.tokens += one.tokens - (held ? unread.tokens : 0), sum.bytes += one.bytes - (held ? unread.bytes : 0);
      if (!held) unread_[e].tokens += unread.tokens, unread_[e].bytes += unread.bytes;
    }
    sum.tokens /= shares_beside(edge), sum.bytes /= shares_beside(edge);
    return sum;
  }
  [[nodiscard]] bool scatters(const EdgePlan& edge) const {
    return plan_.stages[edge.from_stage].outputs[edge.from_port].many != 0;
  }
  // Elements, or their number, on the way to a relay that passes them on to those who read the output in the graph.
  Traffic elements_of(const EdgePlan& edge) const {
    Traffic sum;
    for (const std::uint32_t e : (edge.count ? index_.out_counts : index_.out_edges)[edge.to_stage][edge.to_port]) {
      if (e >= costs_.edges.size()) continue;
      sum.tokens += per_instance(costs_.edges[e].tokens), sum.bytes += per_instance(costs_.edges[e].bytes);
    }
    return sum;
  }
  // Signals equal the tokens of the output: every edge of it has all of them, or its replica's share.
  Traffic signals_of(const EdgePlan& edge) const {
    Traffic most;
    for (const std::uint32_t e : index_.out_edges[edge.from_stage][edge.from_port])
      if (e < costs_.edges.size())
        most.tokens = std::max(most.tokens, per_instance(costs_.edges[e].tokens) * shares_beside(plan_.edges[e]));
    return most;
  }
  // How many replicas share what an output gives; 1: the edge has all of it.
  [[nodiscard]] double shares_beside(const EdgePlan& edge) const {
    std::set<std::uint32_t> replicas;
    for (const std::uint32_t e : (edge.count ? index_.out_counts : index_.out_edges)[edge.from_stage][edge.from_port])
      if (plan_.edges[e].choice.replicas == edge.choice.replicas) replicas.insert(plan_.edges[e].choice.replica);
    return static_cast<double>(replicas.size());
  }

  static double per_instance(std::uint64_t millionths) { return static_cast<double>(millionths) / kPerMillion; }

  const CertifiedPlan& plan_;
  const CostTable& costs_;
  PlanIndex index_;
  std::vector<Traffic> traffic_, unread_;  // unread: the part of it that no firing reads
  std::vector<bool> known_;
};

}  // namespace

std::vector<Traffic> traffic_of(const CertifiedPlan& plan) {
  return plan.certificate ? Counter(plan).count() : std::vector<Traffic>();
}

}  // namespace woa
