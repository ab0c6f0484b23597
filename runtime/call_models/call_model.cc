#include "runtime/call_models/call_model.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "runtime/call_models/rewrites.h"

namespace woa {
namespace {

Result<Plan> apply(const Plan& plan, std::string_view model) {
  if (model == "rpc-fused") return call_models::to_fused(plan);
  if (model == "rpc-hub") return call_models::to_hub(plan);
  return model == "rpc-nested" ? call_models::to_nested(plan) : call_models::to_polled(plan);
}

std::string list_of_models() {
  std::string list;
  for (const std::string_view name : kCallModels) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace

Result<Plan> rewrite(const Plan& plan, std::string_view model) {
  if (std::find(std::begin(kCallModels), std::end(kCallModels), model) == std::end(kCallModels)) {
    return {Code::kNotFound,
            "call model '" + std::string(model) + "' does not exist; choose one of " + list_of_models()};
  }
  const auto is_relay = [](const StagePlan& stage) { return stage.role == StageRole::kRelay; };
  if (std::ranges::any_of(plan.stages, is_relay)) {
    if (plan.model == model) return plan;
    return {Code::kInvalid, "the plan has the routes of call model '" + plan.model + "' and cannot get those of '" +
                                std::string(model) + "'; rewrite the plan that they were made of"};
  }
  if (model == "woa") {
    Plan woa = plan;
    woa.model = model;
    return woa;
  }
  auto rewritten = apply(plan, model);
  if (!rewritten.ok()) return rewritten.status().with_context("as " + std::string(model));
  Plan calls = std::move(*rewritten);
  calls.model = model;
  if (Status status = validate(calls); !status.ok()) return status.with_context("as " + std::string(model));
  return calls;
}

}  // namespace woa
