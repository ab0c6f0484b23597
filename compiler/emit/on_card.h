// Joins stages into chains that a device runs by itself (EdgePlan::on_card).
#pragma once

#include "runtime/plan/plan.h"

namespace woa {

// `plan` is whole: placed, with its replicas, copies and outputs in place. Sets on_card on each edge that may stay on a
// card (runtime/plan/on_card.h), in their order: of two that would put a core twice into one chain, the first stays.
void join_on_card(Plan& plan);

}  // namespace woa
