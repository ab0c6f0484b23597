#include "runtime/plan/plan_message.h"

#include "runtime/plan/plan_fields.h"

namespace woa {

std::string encode_plan_message(const Plan& plan, std::string_view proofs) {
  const std::string text(proofs);
  return message::encode(PlanBody<const Plan, const std::string>{plan, text});
}

Result<Plan> decode_plan_message(std::string_view bytes, std::string* proofs) {
  Plan plan;
  std::string text, unknown;
  const PlanBody<Plan, std::string> body{plan, text};
  if (!message::read(bytes, body, unknown))
    return {Code::kInvalid, "plan: the body is not a plan message; compile the graph again"};
  if (!unknown.empty()) return {Code::kInvalid, "plan: " + unknown};
  if (message::encode(body) != bytes)
    return {Code::kInvalid, "plan: the body holds fields that this version does not write; compile the graph again"};
  if (proofs != nullptr) *proofs = std::move(text);
  return plan;
}

}  // namespace woa
