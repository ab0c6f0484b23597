#include "compiler/emit/traffic.h"

#include <cstdint>
#include <map>
#include <utility>

namespace woa {
namespace {

class Counter {
 public:
  explicit Counter(const Plan& plan) : plan_(plan), costs_(plan.certificate->costs), traffic_(plan.edges.size()) {
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
      by_end_[{plan.edges[e].to_stage, plan.edges[e].to_port}].push_back(e);
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
    if (plan_.stages[edge.from_stage].role != StageRole::kRelay) {
      if (e < costs_.edges.size())
        traffic_[e] = {static_cast<double>(costs_.edges[e].tokens) / kPerMille,
                       static_cast<double>(costs_.edges[e].bytes)};
      return traffic_[e];
    }
    const auto given = by_end_.find({edge.from_stage, edge.from_port});
    if (given == by_end_.end() || depth == 0) return traffic_[e];
    Traffic sum;
    for (const std::uint32_t in : given->second) {
      const Traffic one = count(in, depth - 1);
      sum.tokens += one.tokens, sum.bytes += one.bytes;
    }
    return traffic_[e] = sum;
  }

  const Plan& plan_;
  const CostTable& costs_;
  std::vector<Traffic> traffic_;
  std::vector<bool> known_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> by_end_;  // edges by their reader
};

}  // namespace

std::vector<Traffic> traffic_of(const Plan& plan) {
  return plan.certificate ? Counter(plan).count() : std::vector<Traffic>();
}

}  // namespace woa
