#include "compiler/emit/on_card.h"

#include <cstddef>

#include "runtime/plan/on_card.h"

namespace woa {

void join_on_card(Plan& plan) {
  const OnCardRules rules(plan);
  for (std::size_t e = 0; e < plan.edges.size(); ++e) plan.edges[e].on_card = rules.why_not(e).empty();
}

}  // namespace woa
