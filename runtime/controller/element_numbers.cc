#include "runtime/controller/element_numbers.h"

namespace woa {
namespace {

// A scatter as those inside see it.
struct Scatter {
  std::size_t around = 0;  // the scatter around it: its place in the list
  std::uint64_t number = 0;
};

std::uint64_t field(const OutputPortPlan& port) {
  return ((std::uint64_t{1} << port.index_bits) - 1) << port.index_shift;
}

}  // namespace

// From the source along all edges whose tokens are consumed. Of the inputs of a stage, all lie in the same scatters, so
// the first that is come by tells.
std::vector<std::uint64_t> element_numbers(const Plan& plan) {
  std::vector<std::vector<std::uint32_t>> from(plan.stages.size());  // by stage: the edges that it writes
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) from[plan.edges[e].from_stage].push_back(e);
  std::vector<Scatter> scatters(1);  // the first stands for none
  std::vector<std::size_t> innermost(plan.stages.size());
  std::vector<bool> seen(plan.stages.size());
  std::vector<std::uint32_t> open{kSourceStage};
  seen[kSourceStage] = true;
  while (!open.empty()) {
    const std::uint32_t writer = open.back();
    open.pop_back();
    for (const std::uint32_t e : from[writer]) {
      const EdgePlan& edge = plan.edges[e];
      const InputPortPlan& input = plan.stages[edge.to_stage].inputs[edge.to_port];
      if (edge.count || input.hold || seen[edge.to_stage]) continue;
      std::size_t at = innermost[writer];
      const OutputPortPlan& output = plan.stages[writer].outputs[edge.from_port];
      if (output.many != 0) {
        scatters.push_back({at, field(output)});
        at = scatters.size() - 1;
      }
      innermost[edge.to_stage] = input.gather == 0 ? at : scatters[at].around;
      seen[edge.to_stage] = true;
      open.push_back(edge.to_stage);
    }
  }
  std::vector<std::uint64_t> numbers;
  for (const std::size_t at : innermost) numbers.push_back(scatters[at].number);
  return numbers;
}

}  // namespace woa
