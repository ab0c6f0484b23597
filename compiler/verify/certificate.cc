// Checks a placement's certificate by computing it anew.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "compiler/place/certify.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/cost_table.h"
#include "compiler/place/legs.h"
#include "compiler/place/solver/proof.h"
#include "compiler/predict/prediction.h"
#include "compiler/verify/verify.h"

namespace woa {
namespace {

using assign::Problem;

Status bad_certificate(const std::string& what) {
  return {Code::kInvalid, "certificate: " + what + "; compile the graph again"};
}

Status check_stages(const Plan& plan, const Certificate& certificate) {
  const CostTable& costs = certificate.costs;
  if (certificate.placement.size() != costs.stages.size() || costs.stages.size() != plan.stages.size())
    return bad_certificate("it is about another number of stages than the plan has");
  std::set<std::string_view> names;
  for (const ComponentCosts& component : costs.components)
    if (!names.insert(component.controller).second)
      return bad_certificate("'" + component.controller + "' is there twice");
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.role == StageRole::kRelay) return bad_certificate("stage '" + stage.name + "' is a relay");
    const std::uint32_t component = certificate.placement[s];
    const ControllerPlan& controller = plan.controllers[stage.controller];
    if (component >= costs.components.size() || costs.components[component].controller != controller.name)
      return bad_certificate("stage '" + stage.name + "' is on " + controller.name + " in the plan, elsewhere in it");
    if (controller.workers != kAllWorkers && costs.components[component].workers != controller.workers)
      return bad_certificate("it has another number of workers for " + controller.name + " than the plan");
    if (costs.stages[s].serial != (stage.serial || stage.stateful == Stateful::kRun))
      return bad_certificate("stage '" + stage.name + "' may fire otherwise than it says");
    if (is_modelled(costs.stages[s], component) != (stage.variant.kind == kModelled))
      return bad_certificate("the time of stage '" + stage.name + "' is modelled in the plan or in it, not in both");
  }
  return {};
}

bool carries_elements(const Plan& plan, const EdgePlan& edge) {
  const auto& outputs = plan.stages[edge.from_stage].outputs;
  return !edge.count && edge.from_port < outputs.size() && outputs[edge.from_port].many != 0;
}

Status check_edges(const Plan& plan, const CostTable& costs) {
  if (costs.edges.size() != plan.edges.size()) return bad_certificate("it is about other edges than the plan's");
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (costs.edges[e].from != plan.edges[e].from_stage || costs.edges[e].to != plan.edges[e].to_stage)
      return bad_certificate("its edge " + std::to_string(e) + " joins other stages than the plan's");
    if (costs.edges[e].count != plan.edges[e].count)
      return bad_certificate("its edge " + std::to_string(e) + " carries something else than the plan's");
    if (costs.edges[e].requests.has_value() != carries_elements(plan, plan.edges[e]))
      return bad_certificate("its edge " + std::to_string(e) + " has requests for all elements of a scatter, or none");
  }
  return {};
}

// Checks which edges are calls, and so the ways of outputs under rpc-nested.
Status check_calls(const Plan& plan, const CostTable& costs) {
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    const bool calls = edge.to_stage != kSinkStage && is_call(edge.to_port, edge.loop, edge.count);
    if (costs.edges[e].calls != calls)
      return bad_certificate("its edge " + std::to_string(e) + " is a call in the plan or in it, not in both");
  }
  return {};
}

// The stage without the fields in which its copies may differ.
StagePlan without_place(StagePlan stage) {
  stage.name.clear(), stage.controller = 0, stage.variant = {};
  return stage;
}

bool may_have_copies(const StagePlan& stage) {
  return stage.stateful == Stateful::kNo && stage.outputs.size() <= 1 &&
         std::ranges::none_of(stage.outputs, [](const auto& port) { return port.one_of >= 0 || port.many != 0; }) &&
         std::ranges::none_of(stage.inputs, [](const auto& port) { return port.gather != 0; });
}

// Checks that copies are the same stage and get the same tokens.
Status check_copies(const Plan& plan, const CostTable& costs, const Originals& originals) {
  for (std::size_t s = 0; s < costs.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (costs.stages[s].copyable && !may_have_copies(stage))
      return bad_certificate("stage '" + stage.name + "' cannot have copies, of which it says that it may");
    if (costs.stages[s].copy != 0 && without_place(stage) != without_place(plan.stages[s - 1]))
      return bad_certificate("stage '" + stage.name + "' is no copy of '" + plan.stages[s - 1].name + "'");
  }
  for (std::size_t e = 1; e < costs.edges.size(); ++e) {
    const EdgePlan &edge = plan.edges[e], &before = plan.edges[e - 1];
    const auto sent = [](const EdgePlan& of) {
      return std::tuple(of.from_port, of.to_port, of.keep, of.step, of.loop, of.count, of.choice);
    };
    if (originals.edge_of[e] == originals.edge_of[e - 1] && sent(edge) != sent(before))
      return bad_certificate("its edge " + std::to_string(e) + " carries something else than that of another copy");
  }
  return {};
}

// By original stage: its component of the problem. Checks that readers take from the nearest copy.
Result<assign::Placement> find_placement(const Certificate& certificate, const Originals& originals,
                                         const CopyProblem& problem) {
  const std::vector<ComponentSet> places = places_of(originals, certificate.placement);
  auto placement = placement_on(problem, places);
  if (!placement) return bad_certificate("copies of a stage are where there may not be so many, or not in order");
  const NearestCopy nearest(originals.table, certificate.goal.model);
  if (with_copies(originals.table, nearest, places).table.edges != certificate.costs.edges)
    return bad_certificate("a stage takes tokens from a copy that is not the nearest");
  return std::move(*placement);
}

// Names as in the graph: NAME@CONTROLLER of a copy becomes NAME.
std::vector<std::string> names_without_copies(const Plan& plan, const CostTable& costs) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < costs.stages.size(); ++s) {
    const std::string& name = plan.stages[s].name;
    const bool has_copies = s + 1 < costs.stages.size() && costs.stages[s + 1].copy != 0;
    if (costs.stages[s].copy == 0) names.push_back(has_copies ? name.substr(0, name.find('@')) : name);
  }
  return names;
}

Status check_value(const Problem& problem, const assign::Placement& placement, const Certificate& certificate) {
  const assign::Value value = assign::evaluate(problem, placement);
  if (!value.feasible) return bad_certificate("the placement breaks " + value.broken);
  if (value.objective != certificate.value_ps)
    return bad_certificate(
        "the placement does not come to " + std::to_string(certificate.value_ps) + " ps" +
        (fits(value.objective) ? ", but to " + std::to_string(static_cast<std::int64_t>(value.objective)) : ""));
  return {};
}

Status check_bound(const Problem& problem, const Certificate& certificate) {
  if (certificate.leaves.empty())
    return certificate.bound_ps == 0 ? Status() : bad_certificate("nothing shows its bound");
  if (certificate.bound_ps < 0) return bad_certificate("its bound is below 0");
  const std::size_t k = problem.components, ends = problem.edges.size() * k;
  if (certificate.leaves.size() > assign::most_leaves(problem))
    return bad_certificate("it has too many leaves for so large a graph");
  for (const ProofLeaf& leaf : certificate.leaves)
    if (leaf.from.size() != ends || leaf.to.size() != ends)
      return bad_certificate("a leaf has not a price for each end");
  const Status shown = assign::verify(problem, proof_of(certificate, k), certificate.bound_ps);
  return shown.ok() ? Status() : bad_certificate("its bound is not shown: " + shown.message());
}

Status check_prediction(const CertifiedPlan& plan) {
  const auto prediction = predict(plan);
  if (!prediction.ok()) return bad_certificate(prediction.status().message());
  return *prediction == plan.certificate->prediction ? Status()
                                                     : bad_certificate("its prediction is not what its costs come to");
}

// Checks that the status says no more than value and bound show.
Status check_status(const Certificate& certificate) {
  const bool reached = certificate.bound_ps >= certificate.value_ps;
  if (certificate.bound_ps > certificate.value_ps) return bad_certificate("its bound is above its value");
  if (certificate.status == "proved")
    return reached ? Status() : bad_certificate("it says 'proved', but its bound is below its value");
  if (reached && !certificate.leaves.empty())
    return bad_certificate("it says '" + certificate.status + "', but it is proved");
  if (certificate.status == "claimed") return {};
  if (certificate.status == "gap")
    return certificate.bound_ps > 0 ? Status() : bad_certificate("it says 'gap', but it has no bound");
  if (certificate.status == "heuristic")
    return certificate.bound_ps == 0 ? Status() : bad_certificate("it says 'heuristic', but it has a bound");
  return bad_certificate("there is no status '" + certificate.status + "'");
}

}  // namespace

Status verify_certificate(const CertifiedPlan& plan) {
  if (!plan.certificate)
    return {Code::kNotFound,
            "the plan has no certificate: it was placed by pins and rules alone; compile the graph with "
            "--profile"};
  const Certificate& certificate = *plan.certificate;
  if (certificate.goal.model != plan.model)
    return bad_certificate("it is for call model '" + certificate.goal.model + "', the plan for '" + plan.model + "'");
  WOA_RETURN_IF_ERROR(check_stages(plan, certificate));
  WOA_RETURN_IF_ERROR(check_edges(plan, certificate.costs));
  if (hash_of(certificate.costs) != certificate.costs_hash) return bad_certificate("its costs have been changed");
  const auto originals = without_copies(certificate.costs);
  if (!originals.ok()) return bad_certificate(originals.status().message());
  WOA_RETURN_IF_ERROR(check_copies(plan, certificate.costs, *originals));
  WOA_RETURN_IF_ERROR(check_calls(plan, certificate.costs));
  const auto problem = copy_problem(originals->table, certificate.goal, names_without_copies(plan, certificate.costs));
  if (!problem.ok()) return bad_certificate(problem.status().message());
  const auto placement = find_placement(certificate, *originals, *problem);
  if (!placement.ok()) return placement.status();
  WOA_RETURN_IF_ERROR(check_value(problem->problem, *placement, certificate));
  WOA_RETURN_IF_ERROR(check_prediction(plan));
  WOA_RETURN_IF_ERROR(check_bound(problem->problem, certificate));
  return check_status(certificate);
}

}  // namespace woa
