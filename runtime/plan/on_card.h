// Decides which edges may stay on a card, for the compiler and for validate().
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/plan/index.h"
#include "runtime/plan/plan.h"

namespace woa {

// Edges whose payloads a device may pass on by itself. `plan` passes validate(), but for on_card; it outlives this.
class OnCardRules {
 public:
  explicit OnCardRules(const Plan& plan);

  // Why the edge cannot stay on a card, as a phrase about it; empty: it may. Its chain counts too: this edge and those
  // beside it that are on_card. A chain uses each core once, and has at most kMaxJoined stages.
  [[nodiscard]] std::string why_not(std::size_t edge) const;

 private:
  [[nodiscard]] std::string why_not_in_chain(std::size_t edge) const;
  [[nodiscard]] bool leads_back(const EdgePlan& edge) const;
  [[nodiscard]] std::vector<std::uint32_t> chain_of(std::size_t edge) const;

  const Plan& plan_;
  PlanIndex index_;
  std::vector<std::vector<std::uint32_t>> readers_;  // by stage
  std::vector<std::uint64_t> elements_;              // by stage: element_numbers()
};

}  // namespace woa
