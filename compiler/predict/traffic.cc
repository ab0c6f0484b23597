#include "compiler/predict/traffic.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace woa {
namespace {

class Counter {
 public:
  explicit Counter(const CertifiedPlan& plan)
      : plan_(plan), costs_(plan.certificate->costs), traffic_(plan.edges.size()), unread_(plan.edges.size()) {
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
      const EdgePlan& edge = plan.edges[e];
      by_reader_[{edge.to_stage, edge.to_port, edge.count}].push_back(e);
      by_writer_[{edge.from_stage, edge.from_port, edge.count}].push_back(e);
    }
    known_.resize(plan.edges.size(), false);
  }

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
      traffic_[e] = relay ? passed_on(e, depth) : signals_of(edge);
    }
    if (edge.count) traffic_[e].bytes = 0;
    return traffic_[e];
  }
  // All that comes by the relay's input, except unread tokens, which stay with a relay that holds them.
  Traffic passed_on(std::uint32_t e, std::size_t depth) {
    Traffic sum;
    const EdgePlan& edge = plan_.edges[e];
    const auto& inputs = plan_.stages[edge.from_stage].inputs;
    const bool held = edge.from_port < inputs.size() && inputs[edge.from_port].hold;
    auto given = by_reader_.find({edge.from_stage, edge.from_port, edge.count});
    if (given == by_reader_.end()) given = by_reader_.find({edge.from_stage, edge.from_port, !edge.count});
    if (given == by_reader_.end()) return sum;
    for (const std::uint32_t in : given->second) {
      const Traffic one = count(in, depth - 1);
      const Traffic& unread = unread_[in];
      sum.tokens += one.tokens - (held ? unread.tokens : 0), sum.bytes += one.bytes - (held ? unread.bytes : 0);
      if (!held) unread_[e].tokens += unread.tokens, unread_[e].bytes += unread.bytes;
    }
    sum.tokens /= shares_beside(edge), sum.bytes /= shares_beside(edge);
    return sum;
  }
  // Signals equal the tokens of the output: every edge of it has all of them, or its replica's share.
  Traffic signals_of(const EdgePlan& edge) const {
    Traffic most;
    const auto beside = by_writer_.find({edge.from_stage, edge.from_port, false});
    if (beside == by_writer_.end()) return most;
    for (const std::uint32_t e : beside->second)
      if (e < costs_.edges.size())
        most.tokens = std::max(most.tokens, per_instance(costs_.edges[e].tokens) * shares_beside(plan_.edges[e]));
    return most;
  }
  // How many replicas share what an output gives; 1: the edge has all of it.
  [[nodiscard]] double shares_beside(const EdgePlan& edge) const {
    std::set<std::uint32_t> replicas;
    for (const std::uint32_t e : by_writer_.at({edge.from_stage, edge.from_port, edge.count}))
      if (plan_.edges[e].choice.replicas == edge.choice.replicas) replicas.insert(plan_.edges[e].choice.replica);
    return static_cast<double>(replicas.size());
  }

  static double per_instance(std::uint64_t millionths) { return static_cast<double>(millionths) / kPerMillion; }

  const CertifiedPlan& plan_;
  const CostTable& costs_;
  std::vector<Traffic> traffic_, unread_;  // unread: the part of it that no firing reads
  std::vector<bool> known_;
  using End = std::tuple<std::uint32_t, std::uint32_t, bool>;        // stage, port, of counts?
  std::map<End, std::vector<std::uint32_t>> by_reader_, by_writer_;  // edges
};

}  // namespace

std::vector<Traffic> traffic_of(const CertifiedPlan& plan) {
  return plan.certificate ? Counter(plan).count() : std::vector<Traffic>();
}

}  // namespace woa
