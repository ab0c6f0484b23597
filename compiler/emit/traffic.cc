#include "compiler/emit/traffic.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace woa {
namespace {

class Counter {
 public:
  explicit Counter(const Plan& plan) : plan_(plan), costs_(plan.certificate->costs), traffic_(plan.edges.size()) {
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
  // `depth`: relays in a row that are still looked through; validate() allows no more.
  Traffic count(std::uint32_t e, std::size_t depth) {
    if (known_[e]) return traffic_[e];
    known_[e] = true;
    const EdgePlan& edge = plan_.edges[e];
    if (e < costs_.edges.size()) {
      traffic_[e] = {static_cast<double>(costs_.edges[e].tokens) / kPerMillion,
                     static_cast<double>(costs_.edges[e].bytes) / kPerMillion};
    } else if (depth > 0) {
      const bool relay = plan_.stages[edge.from_stage].role == StageRole::kRelay;
      traffic_[e] = relay ? passed_on(edge, depth) : signals_of(edge);
    }
    if (edge.count) traffic_[e].bytes = 0;
    return traffic_[e];
  }
  // All that comes by the relay's input.
  Traffic passed_on(const EdgePlan& edge, std::size_t depth) {
    Traffic sum;
    auto given = by_reader_.find({edge.from_stage, edge.from_port, edge.count});
    if (given == by_reader_.end()) given = by_reader_.find({edge.from_stage, edge.from_port, !edge.count});
    if (given == by_reader_.end()) return sum;
    for (const std::uint32_t in : given->second) {
      const Traffic one = count(in, depth - 1);
      sum.tokens += one.tokens, sum.bytes += one.bytes;
    }
    return sum;
  }
  // As many as there are tokens: every edge of the output has all of them.
  Traffic signals_of(const EdgePlan& edge) const {
    Traffic most;
    const auto beside = by_writer_.find({edge.from_stage, edge.from_port, false});
    if (beside == by_writer_.end()) return most;
    for (const std::uint32_t e : beside->second)
      if (e < costs_.edges.size())
        most.tokens = std::max(most.tokens, static_cast<double>(costs_.edges[e].tokens) / kPerMillion);
    return most;
  }

  const Plan& plan_;
  const CostTable& costs_;
  std::vector<Traffic> traffic_;
  std::vector<bool> known_;
  using End = std::tuple<std::uint32_t, std::uint32_t, bool>;        // stage, port, of counts?
  std::map<End, std::vector<std::uint32_t>> by_reader_, by_writer_;  // edges
};

}  // namespace

std::vector<Traffic> traffic_of(const Plan& plan) {
  return plan.certificate ? Counter(plan).count() : std::vector<Traffic>();
}

}  // namespace woa
