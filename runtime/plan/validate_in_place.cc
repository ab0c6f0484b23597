// Outputs written over an input's payload: nobody else may see that payload, and its block has one way back.
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/plan/in_place.h"
#include "runtime/plan/index.h"
#include "runtime/plan/validate.h"

namespace woa::validation {
namespace {

class InPlace {
 public:
  InPlace(const Plan& plan, const PlanIndex& index, std::size_t stage, std::size_t port)
      : plan_(plan),
        index_(index),
        stage_(plan.stages[stage]),
        port_(stage_.outputs[port]),
        in_(index.in_edges[stage]),
        out_(index.out_edges[stage][port]) {}

  [[nodiscard]] Status check() const {
    if (stage_.role != StageRole::kKernel || plan_.controllers[stage_.controller].kind != ControllerKind::kCpu)
      return refuse("only a kernel on a cpu controller writes in place");
    if (stage_.isolated) return refuse("an isolated stage leaves its inputs as they are");
    if (port_.in_place < -1 || static_cast<std::size_t>(port_.in_place) >= stage_.inputs.size())
      return refuse("in_place is the number of an input");
    const InputPortPlan& input = stage_.inputs[static_cast<std::size_t>(port_.in_place)];
    if (input.hold) return refuse("a held token is read again");
    if (input.gather != 0) return refuse("an input that gathers has no block of its own");
    if (!same_layout(input.type, port_.type)) return refuse("its type is not that of input " + in_quotes(input.name));
    WOA_RETURN_IF_ERROR(check_others());
    return check_edges();
  }

  // The input's writer may have written in place, too, but within kMaxPassed stages one owns the block. check() passed.
  [[nodiscard]] Status check_chain() const {
    const EdgePlan* edge = sole_origin(plan_.edges[in_[static_cast<std::size_t>(port_.in_place)].front()]);
    for (std::size_t passed = 1; passed <= kMaxPassed; ++passed) {
      const StagePlan& writer = plan_.stages[edge->from_stage];
      const std::int32_t input = writer.outputs[edge->from_port].in_place;
      if (input < 0) return {};
      if (static_cast<std::size_t>(input) >= writer.inputs.size()) return {};  // reported for that stage
      const auto& writers = index_.in_edges[edge->from_stage][static_cast<std::size_t>(input)];
      if (writers.size() != 1) return {};  // reported for that stage
      edge = sole_origin(plan_.edges[writers.front()]);
      if (edge == nullptr) return {};  // reported for that stage
    }
    return refuse("its block has passed through " + std::to_string(kMaxPassed) + " stages already");
  }

 private:
  [[nodiscard]] Status refuse(const std::string& why) const {
    return broken("stage ", in_quotes(stage_.name), ", output ", in_quotes(port_.name), ", in place: ", why);
  }

  // Two outputs may share a block only if a firing never writes both.
  [[nodiscard]] Status check_others() const {
    for (const OutputPortPlan& other : stage_.outputs) {
      if (&other == &port_ || other.in_place != port_.in_place) continue;
      if (other.one_of != port_.one_of || port_.one_of < 0)
        return refuse("output " + in_quotes(other.name) + " is written there, too");
    }
    return {};
  }

  [[nodiscard]] Status check_edges() const {
    const auto& writers = in_[static_cast<std::size_t>(port_.in_place)];
    if (writers.size() != 1 || out_.size() != 1) return refuse("its input has one writer, and it has one reader");
    const EdgePlan &from = plan_.edges[writers.front()], &to = plan_.edges[out_.front()];
    if (index_.in_edges[to.to_stage][to.to_port].size() != 1) return refuse("its reader has no other writer");
    const EdgePlan* origin = sole_origin(from);
    if (origin == nullptr) return refuse("nobody else reads what its input brings");
    if (origin->keep != 0 || origin->step != 0 || to.keep != 0 || to.step != 0)
      return refuse("it does not lie in a loop");
    if (plan_.stages[origin->from_stage].outputs[origin->from_port].many != 0)
      return refuse("the elements of a scatter lie in one block");
    return {};
  }

  // The edge by which a payload that nobody else reads leaves its writer; null if somebody does. A relay is no writer.
  [[nodiscard]] const EdgePlan* sole_origin(const EdgePlan& edge) const {
    const EdgePlan* at = &edge;
    for (std::size_t passed = 0; passed <= kMaxPassed; ++passed) {
      if (index_.out_edges[at->from_stage][at->from_port].size() != 1) return nullptr;
      if (plan_.stages[at->from_stage].role != StageRole::kRelay) return at;
      const auto& writers = index_.in_edges[at->from_stage][at->from_port];
      if (writers.size() != 1) return nullptr;
      at = &plan_.edges[writers.front()];
    }
    return nullptr;
  }

  const Plan& plan_;
  const PlanIndex& index_;
  const StagePlan& stage_;
  const OutputPortPlan& port_;
  const std::vector<std::vector<std::uint32_t>>& in_;
  const std::vector<std::uint32_t>& out_;
};

// Calls visit(output, its rules) for each output that is written in place.
void each_in_place(auto& plan, const PlanIndex& index, const auto& visit) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    for (std::size_t p = 0; p < plan.stages[s].outputs.size(); ++p)
      if (auto& port = plan.stages[s].outputs[p]; port.in_place != -1) visit(port, InPlace(plan, index, s, p));
}

}  // namespace

Status validate_in_place(const Plan& plan) {
  Status first;
  each_in_place(plan, PlanIndex(plan), [&](const OutputPortPlan&, const InPlace& rules) {
    if (first.ok()) first = rules.check();
    if (first.ok()) first = rules.check_chain();
  });
  return first;
}

}  // namespace woa::validation

namespace woa {

void keep_allowed_in_place(Plan& plan) {
  const PlanIndex index(plan);
  validation::each_in_place(plan, index, [](OutputPortPlan& port, const validation::InPlace& rules) {
    if (!rules.check().ok()) port.in_place = -1;
  });
  validation::each_in_place(plan, index, [](OutputPortPlan& port, const validation::InPlace& rules) {
    if (!rules.check_chain().ok()) port.in_place = -1;
  });
}

}  // namespace woa
