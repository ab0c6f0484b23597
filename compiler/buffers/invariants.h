// Proves that the blocks of a plan are enough, for `woa verify`.
#pragma once

#include "compiler/certificate/certificate.h"

namespace woa {

// `plan` has passed validate(). Sets CertifiedPlan::invariants so that proved_blocks()
// (compiler/certificate/live_blocks.h) reaches EdgePlan::min_blocks, which blocks.h derived; sets EdgePlan::claimed on
// edges without such a proof. The search follows tokens backwards from an edge inside a loop, by one input of each
// stage, to where the turn began, and around. It finds none if a writer runs ahead of its reader in a loop whose turns
// follow one another inside another loop, or if all invariants together would be too large.
void add_invariants(CertifiedPlan& plan);

}  // namespace woa
