#include "runtime/plan/index.h"

namespace woa {
namespace {

// A scatter, as seen by the stages inside.
struct Scatter {
  std::size_t around = 0;  // the scatter around it: its place in the list
  std::uint64_t number = 0;
};

std::uint64_t field(const OutputPortPlan& port) {
  return ((std::uint64_t{1} << port.index_bits) - 1) << port.index_shift;
}

}  // namespace

PlanIndex::PlanIndex(const Plan& plan) {
  for (const StagePlan& stage : plan.stages) {
    for (ByPort* const out : {&out_edges, &out_counts, &all_out}) out->emplace_back(stage.outputs.size());
    for (ByPort* const in : {&in_edges, &in_counts, &all_in}) in->emplace_back(stage.inputs.size());
  }
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    for (ByPort* const out : {&all_out, edge.count ? &out_counts : &out_edges})
      (*out)[edge.from_stage][edge.from_port].push_back(e);
    for (ByPort* const in : {&all_in, edge.count ? &in_counts : &in_edges})
      (*in)[edge.to_stage][edge.to_port].push_back(e);
  }
}

std::vector<std::vector<std::uint32_t>> readers_by_stage(const Plan& plan, bool loops) {
  std::vector<std::vector<std::uint32_t>> readers(plan.stages.size());
  for (const EdgePlan& edge : plan.edges)
    if (loops || edge.loop < 0) readers[edge.from_stage].push_back(edge.to_stage);
  return readers;
}

std::vector<std::uint32_t> stages_in_order(const Plan& plan) {
  const auto readers = readers_by_stage(plan, false);
  std::vector<std::size_t> open(plan.stages.size());
  for (const auto& stages : readers)
    for (const std::uint32_t reader : stages) ++open[reader];
  std::vector<std::uint32_t> order;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s)
    if (open[s] == 0) order.push_back(s);
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const std::uint32_t reader : readers[order[next]])
      if (--open[reader] == 0) order.push_back(reader);
  return order;
}

// Walks from the source along all edges whose tokens are consumed. All inputs of a stage lie in the same scatters, so
// the first one reached decides.
std::vector<std::uint64_t> element_numbers(const Plan& plan) {
  const PlanIndex index(plan);
  std::vector<Scatter> scatters(1);  // the first stands for none
  std::vector<std::size_t> innermost(plan.stages.size());
  std::vector<bool> seen(plan.stages.size());
  std::vector<std::uint32_t> open{kSourceStage};
  seen[kSourceStage] = true;
  while (!open.empty()) {
    const std::uint32_t writer = open.back();
    open.pop_back();
    for (const auto& port : index.out_edges[writer]) {
      for (const std::uint32_t e : port) {
        const EdgePlan& edge = plan.edges[e];
        const InputPortPlan& input = plan.stages[edge.to_stage].inputs[edge.to_port];
        if (input.hold || seen[edge.to_stage]) continue;
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
  }
  std::vector<std::uint64_t> numbers;
  for (const std::size_t at : innermost) numbers.push_back(scatters[at].number);
  return numbers;
}

bool is_signal(const Plan& plan, const EdgePlan& edge) {
  const CallModel& model = call_model(plan.model);
  return edge.count && (model.nested || model.polled) && plan.stages[edge.from_stage].outputs[edge.from_port].many <= 1;
}

std::string writer_of(const Plan& plan, const EdgePlan& edge) {
  const StagePlan& from = plan.stages[edge.from_stage];
  return from.name + "." + from.outputs[edge.from_port].name;
}

std::string reader_of(const Plan& plan, const EdgePlan& edge) {
  const StagePlan& to = plan.stages[edge.to_stage];
  return to.name + "." + to.inputs[edge.to_port].name;
}

std::string name_of_edge(const Plan& plan, const EdgePlan& edge) {
  return "the edge from '" + writer_of(plan, edge) + "' to '" + reader_of(plan, edge) + "'";
}

}  // namespace woa
