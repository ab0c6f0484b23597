#include "compiler/certificate/certificate.h"

#include <algorithm>
#include <utility>

#include "compiler/certificate/certificate_fields.h"
#include "runtime/plan/plain_texts.h"
#include "runtime/plan/plan_file.h"
#include "runtime/plan/room.h"

namespace woa {
namespace {

// Applies the rules of validate() to the texts of the certificate.
Status check_texts(const CertifiedPlan& plan) {
  validation::PlainTexts texts;
  fields(texts, plan);
  return texts.status();
}

// Equal proofs give equal bytes; no proofs give none.
std::string encode_proofs(const CertifiedPlan& plan) { return message::encode(plan); }

Result<CertifiedPlan> decode_proofs(Plan plan, const std::string& bytes) {
  CertifiedPlan certified;
  if (!message::decode(bytes, certified))
    return {Code::kInvalid, "plan: its proofs are no message of proofs; compile the graph again"};
  static_cast<Plan&>(certified) = std::move(plan);
  if (encode_proofs(certified) != bytes)
    return {Code::kInvalid, "plan: its proofs hold fields that this version does not write; compile the graph again"};
  WOA_RETURN_IF_ERROR(check_texts(certified));
  return certified;
}

}  // namespace

bool is_modelled(const StageCosts& stage, std::uint32_t component) {
  return std::ranges::binary_search(stage.modelled, component);
}

bool has_choice(const CostTable& table) {
  return std::any_of(table.stages.begin() + kSinkStage + 1, table.stages.end(), [](const StageCosts& stage) {
    return std::ranges::count_if(stage.time_ps, [](std::int64_t time) { return time != kNowhere_ps; }) > 1;
  });
}

std::vector<std::uint32_t> workers_counted(const CertifiedPlan& plan) {
  std::vector<std::uint32_t> workers = workers_of(plan, 1);
  for (const ComponentCosts& component : plan.certificate->costs.components) {
    const auto at = std::ranges::find(plan.controllers, component.controller, &ControllerPlan::name);
    if (at != plan.controllers.end())
      workers[static_cast<std::size_t>(at - plan.controllers.begin())] = component.workers;
  }
  return workers;
}

CertifiedPlan with_proofs(Plan plan, const CertifiedPlan& of) {
  CertifiedPlan certified(std::move(plan));
  certified.invariants = of.invariants;
  if (of.certificate && of.certificate->goal.model == certified.model) certified.certificate = of.certificate;
  return certified;
}

Status validate(const CertifiedPlan& plan) {
  WOA_RETURN_IF_ERROR(check_texts(plan));
  return validate(static_cast<const Plan&>(plan));
}

std::string serialize(const CertifiedPlan& plan) { return serialize(plan, encode_proofs(plan)); }

Result<CertifiedPlan> parse_certified_plan(std::span<const std::byte> bytes) {
  std::string proofs;
  auto plan = parse_plan(bytes, &proofs);
  return plan.ok() ? decode_proofs(std::move(*plan), proofs) : plan.status();
}

Result<CertifiedPlan> read_certified_plan(const std::filesystem::path& path) {
  std::string proofs;
  auto plan = read_plan(path, &proofs);
  if (!plan.ok()) return plan.status();
  auto certified = decode_proofs(std::move(*plan), proofs);
  return certified.ok() ? std::move(certified) : certified.status().with_context(path.string());
}

Status write_plan(const CertifiedPlan& plan, const std::filesystem::path& path) {
  return write_plan(plan, path, encode_proofs(plan));
}

}  // namespace woa
