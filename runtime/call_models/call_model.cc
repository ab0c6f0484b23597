#include "runtime/call_models/call_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/base/text.h"
#include "runtime/call_models/rewrites.h"

namespace woa {
namespace {

Result<Plan> apply(const Plan& plan, const CallModel& model) {
  if (model.nested) return call_models::to_nested(plan);
  if (model.polled) return call_models::to_polled(plan);
  return model.fused ? call_models::to_fused(plan) : call_models::to_hub(plan);
}

}  // namespace

Result<Plan> rewrite(const Plan& plan, std::string_view model) {
  if (call_model(model).name != model) {
    return {Code::kNotFound,
            "call model '" + std::string(model) + "' does not exist; choose one of " + list_of(kCallModels)};
  }
  const auto is_relay = [](const StagePlan& stage) { return stage.role == StageRole::kRelay; };
  if (std::ranges::any_of(plan.stages, is_relay)) {
    if (plan.model == model) return plan;
    return {Code::kInvalid, "the plan has the routes of call model '" + plan.model + "' and cannot get those of '" +
                                std::string(model) + "'; rewrite the plan that they were made of"};
  }
  if (model == kWoa) {
    Plan woa = plan;
    woa.model = model;
    return woa;
  }
  Plan apart = plan;
  for (EdgePlan& edge : apart.edges) edge.on_card = false;  // each stage is a call of its own
  auto rewritten = apply(apart, call_model(model));
  if (!rewritten.ok()) return rewritten.status().with_context("as " + std::string(model));
  Plan calls = std::move(*rewritten);
  calls.model = model;
  if (Status status = validate(calls); !status.ok()) return status.with_context("as " + std::string(model));
  return calls;
}

}  // namespace woa
