// The tokens that a firing of a plan's stage may send, and their edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa::test {

class Wiring {
 public:
  using Edges = std::vector<std::uint32_t>;

  explicit Wiring(const Plan& plan) : plan_(plan), out_(plan.stages.size()) {
    for (std::size_t s = 0; s < plan.stages.size(); ++s) out_[s].resize(plan.stages[s].outputs.size());
    counts_out_ = out_;
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
      (plan.edges[e].count ? counts_out_ : out_)[plan.edges[e].from_stage][plan.edges[e].from_port].push_back(e);
  }

  // Edges of a port's tokens, and of the counts of what it scatters.
  const Edges& out(std::uint32_t stage, std::size_t port) const { return out_[stage][port]; }
  const Edges& counts_out(std::uint32_t stage, std::size_t port) const { return counts_out_[stage][port]; }

  // The most tokens that a firing may send over each edge of a port.
  std::uint32_t most(std::uint32_t stage, std::size_t port) const {
    return std::max(plan_.stages[stage].outputs[port].many, 1U);
  }

  // True if token number `k`, from a firing with this tag in the first instance, takes this edge and not one to another
  // replica.
  bool takes(std::uint32_t e, std::uint64_t tag, std::uint32_t k) const {
    const EdgePlan& edge = plan_.edges[e];
    const std::uint32_t shift = plan_.stages[edge.from_stage].outputs[edge.from_port].index_shift;
    return edge.choice.takes(0, tag + (std::uint64_t{k} << shift));
  }
  std::uint32_t most_over(std::uint32_t e, std::uint64_t tag) const {
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < most(plan_.edges[e].from_stage, plan_.edges[e].from_port); ++k)
      sum += takes(e, tag, k) ? 1U : 0U;
    return sum;
  }

  // The bits of the tag that number an element gathered at a port.
  std::uint64_t index_of(std::uint32_t stage, std::uint32_t port) const {
    const InputPortPlan& input = plan_.stages[stage].inputs[port];
    return input.gather == 0 ? 0 : ((1ULL << input.index_bits) - 1) << input.index_shift;
  }

  // True if a token from the port, of a firing with this tag, would take a turn too many.
  bool exceeds(std::uint32_t stage, std::size_t port, std::uint64_t tag) const {
    const Edges& edges = out(stage, port);
    return std::any_of(edges.begin(), edges.end(), [&](std::uint32_t e) {
      if (plan_.edges[e].loop < 0) return false;
      const LoopPlan& loop = plan_.loops[static_cast<std::size_t>(plan_.edges[e].loop)];
      return ((tag >> loop.shift) & ((1ULL << loop.bits) - 1)) == loop.max;
    });
  }

 private:
  const Plan& plan_;
  std::vector<std::vector<Edges>> out_, counts_out_;  // [stage][port]
};

}  // namespace woa::test
