#include "compiler/place/solver/milp.h"

namespace woa::assign {

Milp solve_milp(const Problem& /*problem*/, const Placement& /*start*/, std::chrono::milliseconds /*limit*/) {
  return {};
}

Status solver_status() {
  return {Code::kUnavailable, "CBC (coinor-libcbc-dev) was not found when this was built: install it and build again"};
}

}  // namespace woa::assign
