#include "compiler/certificate/certificate.h"

#include <certificate.pb.h>

#include <algorithm>
#include <utility>

#include "runtime/plan/plain_texts.h"
#include "runtime/plan/plan_file.h"

namespace woa {
namespace {

using Amounts = std::map<std::string, std::uint64_t>;
template <class Message>
using Repeated = google::protobuf::RepeatedPtrField<Message>;

void encode(const Amounts& from, Repeated<pb::Amount>& to) {
  for (const auto& [name, number] : from) {
    pb::Amount& amount = *to.Add();
    amount.set_name(name);
    amount.set_number(number);
  }
}

Amounts decode(const Repeated<pb::Amount>& from) {
  Amounts to;
  for (const pb::Amount& amount : from) to[amount.name()] = amount.number();
  return to;
}

void encode(const CostTable& from, pb::CostTable& to) {
  for (const ComponentCosts& component : from.components) {
    pb::ComponentCosts& c = *to.add_components();
    c.set_controller(component.controller);
    c.set_workers(component.workers);
    encode(component.resources, *c.mutable_resources());
    c.set_cores(component.cores);
    if (component.price) c.set_price(*component.price);
    if (component.power_mw) c.set_power_mw(*component.power_mw);
    c.set_message_ps(component.message_ps);
  }
  encode(from.cores, *to.mutable_cores());
  to.set_wake_ps(from.wake_ps);
  for (const LinkCosts& link : from.links) {
    pb::LinkCosts& l = *to.add_links();
    l.set_latency_ps(link.latency_ps);
    l.set_ps_per_kib(link.ps_per_kib);
    l.set_direct(link.direct);
    l.set_assumed(link.assumed);
  }
  for (const StageCosts& stage : from.stages) {
    pb::StageCosts& s = *to.add_stages();
    for (const std::int64_t time : stage.time_ps) s.add_time_ps(time);
    s.set_firings(stage.firings);
    s.set_serial(stage.serial);
    s.set_core(stage.core);
    s.set_copyable(stage.copyable);
    s.set_copy(stage.copy);
    s.mutable_modelled()->Assign(stage.modelled.begin(), stage.modelled.end());
    for (const Amounts& amounts : stage.resources) encode(amounts, *s.add_resources()->mutable_amounts());
  }
  for (const EdgeCosts& edge : from.edges) {
    pb::EdgeCosts& e = *to.add_edges();
    e.set_from(edge.from);
    e.set_to(edge.to);
    e.set_tokens(edge.tokens);
    e.set_bytes(edge.bytes);
    e.set_count(edge.count);
    e.set_unread(edge.unread);
    e.set_unread_bytes(edge.unread_bytes);
    if (edge.requests) e.set_requests(*edge.requests);
    e.set_calls(edge.calls);
  }
}

CostTable decode(const pb::CostTable& from) {
  CostTable to;
  for (const pb::ComponentCosts& c : from.components()) {
    to.components.push_back({c.controller(), c.workers(), decode(c.resources()), c.cores()});
    if (c.has_price()) to.components.back().price = c.price();
    if (c.has_power_mw()) to.components.back().power_mw = c.power_mw();
    to.components.back().message_ps = c.message_ps();
  }
  to.cores = decode(from.cores());
  to.wake_ps = from.wake_ps();
  for (const pb::LinkCosts& l : from.links())
    to.links.push_back({l.latency_ps(), l.ps_per_kib(), l.direct(), l.assumed()});
  for (const pb::StageCosts& s : from.stages()) {
    StageCosts& stage = to.stages.emplace_back();
    stage.time_ps.assign(s.time_ps().begin(), s.time_ps().end());
    stage.firings = s.firings();
    stage.serial = s.serial();
    stage.core = s.core();
    stage.copyable = s.copyable();
    stage.copy = s.copy();
    stage.modelled.assign(s.modelled().begin(), s.modelled().end());
    for (const pb::Amounts& amounts : s.resources()) stage.resources.push_back(decode(amounts.amounts()));
  }
  for (const pb::EdgeCosts& e : from.edges()) {
    to.edges.push_back({e.from(), e.to(), e.tokens(), e.bytes(), e.count(), e.unread(), e.unread_bytes()});
    if (e.has_requests()) to.edges.back().requests = e.requests();
    to.edges.back().calls = e.calls();
  }
  return to;
}

void encode(const ProofLeaf& from, pb::ProofLeaf& to) {
  for (const auto& [stage, component] : from.fixings) to.add_fixings(stage), to.add_fixings(component);
  to.set_scale(from.scale);
  to.set_sum(from.sum);
  for (const std::int64_t price : from.rows) to.add_rows(price);
  for (const std::int64_t price : from.from) to.add_from(price);
  for (const std::int64_t price : from.to) to.add_to(price);
  to.set_closed(from.closed);
}

// Drops the last of an odd number of fixings; decode_proofs() then sees that the bytes differ.
ProofLeaf decode(const pb::ProofLeaf& from) {
  ProofLeaf to;
  for (int k = 0; k + 1 < from.fixings_size(); k += 2) to.fixings.emplace_back(from.fixings(k), from.fixings(k + 1));
  to.scale = from.scale();
  to.sum = from.sum();
  to.rows.assign(from.rows().begin(), from.rows().end());
  to.from.assign(from.from().begin(), from.from().end());
  to.to.assign(from.to().begin(), from.to().end());
  to.closed = from.closed();
  return to;
}

void encode(const Prediction& from, pb::Prediction& to) {
  to.set_messages(from.messages);
  to.set_calls(from.calls);
  to.set_hops(from.hops);
  to.set_payload_bytes(from.payload_bytes);
  to.set_serial_ps(from.serial_ps);
  to.set_critical_path_ps(from.critical_path_ps);
  to.set_critical_kernels_ps(from.critical_kernels_ps);
  to.set_period_ps(from.period_ps);
  to.set_bottleneck(from.bottleneck);
  to.set_alone_ps(from.alone_ps);
}

Prediction decode(const pb::Prediction& from) {
  Prediction to;
  to.messages = from.messages();
  to.calls = from.calls();
  to.hops = from.hops();
  to.payload_bytes = from.payload_bytes();
  to.serial_ps = from.serial_ps();
  to.critical_path_ps = from.critical_path_ps();
  to.critical_kernels_ps = from.critical_kernels_ps();
  to.period_ps = from.period_ps();
  to.bottleneck = from.bottleneck();
  to.alone_ps = from.alone_ps();
  return to;
}

void encode(const Certificate& from, pb::Certificate& to) {
  to.set_model(from.goal.model);
  to.set_objective(from.goal.objective);
  if (from.goal.most_latency_ps) to.set_most_latency_ps(*from.goal.most_latency_ps);
  if (from.goal.most_period_ps) to.set_most_period_ps(*from.goal.most_period_ps);
  if (from.goal.most_price) to.set_most_price(*from.goal.most_price);
  if (from.goal.most_power_mw) to.set_most_power_mw(*from.goal.most_power_mw);
  if (from.goal.copies != 1) to.set_copies(from.goal.copies);
  encode(from.costs, *to.mutable_costs());
  for (const std::uint32_t component : from.placement) to.add_placement(component);
  to.set_costs_hash(from.costs_hash);
  to.set_status(from.status);
  to.set_method(from.method);
  to.set_value_ps(from.value_ps);
  to.set_bound_ps(from.bound_ps);
  for (const ProofLeaf& leaf : from.leaves) encode(leaf, *to.add_leaves());
  encode(from.prediction, *to.mutable_prediction());
}

Certificate decode(const pb::Certificate& from) {
  Certificate to;
  to.goal = {from.model(), from.objective()};
  if (from.has_most_latency_ps()) to.goal.most_latency_ps = from.most_latency_ps();
  if (from.has_most_period_ps()) to.goal.most_period_ps = from.most_period_ps();
  if (from.has_most_price()) to.goal.most_price = from.most_price();
  if (from.has_most_power_mw()) to.goal.most_power_mw = from.most_power_mw();
  if (from.has_copies()) to.goal.copies = from.copies();
  to.costs = decode(from.costs());
  to.placement.assign(from.placement().begin(), from.placement().end());
  to.costs_hash = from.costs_hash();
  to.status = from.status();
  to.method = from.method();
  to.value_ps = from.value_ps();
  to.bound_ps = from.bound_ps();
  for (const pb::ProofLeaf& leaf : from.leaves()) to.leaves.push_back(decode(leaf));
  to.prediction = decode(from.prediction());
  return to;
}

// Applies the rules of validate() to the texts of the certificate.
Status check_texts(const CertifiedPlan& plan) {
  if (!plan.certificate) return {};
  const Certificate& certificate = *plan.certificate;
  validation::PlainTexts texts("certificate.");
  texts.text("goal.model", certificate.goal.model), texts.text("goal.objective", certificate.goal.objective);
  texts.text("costs_hash", certificate.costs_hash), texts.text("status", certificate.status);
  texts.text("method", certificate.method), texts.text("prediction.bottleneck", certificate.prediction.bottleneck);
  const auto keys = [&](const std::string& map, const auto& entries) {
    texts.each(map, entries, [&](const auto& entry) { texts.text("key", entry.first); });
  };
  keys("costs.cores", certificate.costs.cores);
  texts.each("costs.components", certificate.costs.components, [&](const ComponentCosts& component) {
    texts.text("controller", component.controller), texts.text("cores", component.cores);
    keys("resources", component.resources);
  });
  texts.each("costs.stages", certificate.costs.stages, [&](const StageCosts& stage) {
    texts.text("core", stage.core);
    texts.each("resources", stage.resources, [&](const auto& resources) { keys("of", resources); });
  });
  return texts.status();
}

// Equal proofs give equal bytes; no proofs give none.
std::string encode_proofs(const CertifiedPlan& plan) {
  pb::Proofs proofs;
  for (const Invariant& invariant : plan.invariants) {
    pb::Invariant& to = *proofs.add_invariants();
    for (const auto& [edge, weight] : invariant.weights) to.add_weights(edge), to.add_weights(weight);
  }
  if (plan.certificate) encode(*plan.certificate, *proofs.mutable_certificate());
  return proofs.SerializeAsString();
}

Result<CertifiedPlan> decode_proofs(Plan plan, const std::string& bytes) {
  pb::Proofs proofs;
  if (!proofs.ParseFromString(bytes))
    return {Code::kInvalid, "plan: its proofs are no message of proofs; compile the graph again"};
  CertifiedPlan certified(std::move(plan));
  for (const pb::Invariant& from : proofs.invariants()) {
    Invariant& invariant = certified.invariants.emplace_back();
    for (int w = 0; w + 1 < from.weights_size(); w += 2)
      invariant.weights.emplace_back(from.weights(w), from.weights(w + 1));
  }
  if (proofs.has_certificate()) certified.certificate = decode(proofs.certificate());
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
