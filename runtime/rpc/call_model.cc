#include "runtime/rpc/call_model.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "runtime/rpc/rewrites.h"

namespace woa {
namespace {

// Of another call model it says nothing.
Plan keep_certificate(Plan plan) {
  if (plan.certificate && plan.certificate->goal.model != plan.model) plan.certificate.reset();
  return plan;
}

Result<Plan> apply(const Plan& plan, std::string_view model) {
  if (model == "rpc-fused") return rpc::to_fused(plan);
  if (model == "rpc-hub") return rpc::to_hub(plan);
  return model == "rpc-nested" ? rpc::to_nested(plan) : rpc::to_polled(plan);
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
  if (plan.model == model && (model == "woa" || std::ranges::any_of(plan.stages, is_relay)))
    return keep_certificate(plan);
  if (plan.model != "woa" && plan.model != model) {
    return {Code::kInvalid, "the plan was compiled for call model '" + plan.model + "' and cannot be turned into '" +
                                std::string(model) + "'; compile the graph again with --model " + std::string(model)};
  }
  auto rewritten = apply(plan, model);
  if (!rewritten.ok()) return rewritten.status().with_context("as " + std::string(model));
  Plan calls = std::move(*rewritten);
  calls.model = model;
  calls = keep_certificate(std::move(calls));
  if (Status status = validate(calls); !status.ok()) return status.with_context("as " + std::string(model));
  return calls;
}

}  // namespace woa
