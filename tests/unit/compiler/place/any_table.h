// Random cost tables and plans, small enough for every placement to be tried.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <utility>

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/problem.h"
#include "compiler/predict/prediction.h"

namespace woa::test {

inline constexpr std::uint32_t kHost = 0, kSink = 1;

inline std::uint32_t any(std::uint32_t first, std::uint32_t last) {
  return *rc::gen::inRange<std::uint32_t>(first, last + 1);
}

inline std::string any_kind() { return *rc::gen::element<std::string>("cpu", "gpu", "fpga"); }

// All edges enter the first input of their reader, as in plan_of().
inline void mark_calls(CostTable& table) {
  for (EdgeCosts& edge : table.edges) edge.calls = edge.to != kSink && !edge.count;
}

// Every link alike and direct; prices and power of all but the host.
inline CostTable any_table() {
  CostTable table;
  const std::uint32_t k = any(2, 4), stages = any(3, 7);
  for (std::uint32_t l = 0; l < k; ++l)
    table.components.push_back({l == kHost ? "host" : any_kind() + ":" + std::to_string(l), any(1, 3), {}, {}});
  for (std::uint32_t l = 1; l < k; ++l) table.components[l].price = any(0, 9), table.components[l].power_mw = any(0, 9);
  for (ComponentCosts& component : table.components) component.message_ps = any(0, 1) * any(0, 9);
  table.links.assign(std::size_t{k} * k, {7, 1024, true});
  table.wake_ps = any(0, 9);
  for (std::uint32_t l = 0; l < k; ++l) table.links[l * k + l] = {0, 0, true};
  for (std::uint32_t s = 0; s < stages; ++s) {
    StageCosts costs{std::vector<std::int64_t>(k, 0), kPerMillion * any(1, 3), {}};
    for (std::uint32_t l = 0; l < k && s > kSink; ++l) costs.time_ps[l] = l == kHost ? kNowhere_ps : any(0, 50);
    table.stages.push_back(std::move(costs));
  }
  for (std::uint32_t e = any(1, 12); e > 0; --e) {
    const std::uint32_t from = any(1, stages - 1);
    table.edges.push_back({from == 1 ? 0 : from, any(1, stages - 1), kPerMillion * any(1, 3), kPerMillion * any(0, 9)});
  }
  mark_calls(table);
  return table;
}

// Limits the last component's resources; stages of one core need its luts together.
inline void add_cores(CostTable& table) {
  const std::size_t k = table.components.size();
  table.components.back().resources = {{"luts", any(60, 200)}, {"memory", any(30, 100)}};
  for (std::size_t s = kSink + 1; s < table.stages.size(); ++s) {
    const std::uint32_t core = any(0, 2);
    table.stages[s].resources.assign(k, {});
    table.stages[s].resources.back() = {{"luts", 30 * (core + 1)}, {"memory", any(5, 20)}};
    if (core != 0) table.stages[s].core = core == 1 ? "one" : "other";
  }
}

// Links of any costs, some stages copyable, no loops, some edges with counts.
inline CostTable any_copyable_table(std::uint32_t most_stages) {
  CostTable table = any_table();
  if (table.stages.size() > most_stages) table.stages.resize(most_stages);
  const auto stages = static_cast<std::uint32_t>(table.stages.size());
  const auto k = static_cast<std::uint32_t>(table.components.size());
  for (std::uint32_t a = 0; a < k; ++a)
    for (std::uint32_t b = 0; b < k; ++b)
      if (a != b) table.links[a * k + b] = {any(0, 40), any(0, 4096), *rc::gen::inRange(0, 4) != 0};
  for (std::uint32_t a = 1; a < k; ++a) table.links[a * k].direct = table.links[a].direct = true;
  for (std::uint32_t s = kSink + 1; s < stages; ++s) table.stages[s].copyable = *rc::gen::inRange(0, 3) != 0;
  if (*rc::gen::inRange(0, 3) == 0) add_cores(table);
  for (EdgeCosts& edge : table.edges) {
    edge.from %= stages, edge.to %= stages;
    if (edge.from == kSink) edge.from = kHost;
    if (edge.to == kHost) edge.to = kSink;
    if (edge.to != kSink && edge.from > edge.to) std::swap(edge.from, edge.to);
    if (edge.from == edge.to) edge.to = kSink;
    if (edge.to == kSink || *rc::gen::inRange(0, 4) != 0) continue;
    edge.count = true, edge.bytes = 0;
    table.stages[edge.from].copyable = false;  // it scatters
  }
  mark_calls(table);
  return table;
}

inline assign::Placement any_placement(const CostTable& table) {
  assign::Placement placement;
  for (std::uint32_t s = 0; s < table.stages.size(); ++s)
    placement.push_back(s <= kSink ? kHost : any(1, static_cast<std::uint32_t>(table.components.size()) - 1));
  return placement;
}

// A plan as the compiler would place it, with what verify_certificate() looks at.
inline CertifiedPlan plan_of(const CostTable& costs, const Certificate& certificate) {
  CertifiedPlan plan;
  for (const ComponentCosts& component : costs.components)
    plan.controllers.push_back({component.controller, ControllerKind::kCpu, "cpu", component.workers});
  for (std::uint32_t s = 0; s < costs.stages.size(); ++s) {
    StagePlan stage;
    stage.name = "s" + std::to_string(s);
    stage.role = s == kHost ? StageRole::kSource : s == kSink ? StageRole::kSink : StageRole::kKernel;
    stage.controller = certificate.placement[s];
    plan.stages.push_back(std::move(stage));
  }
  for (const EdgeCosts& edge : costs.edges)
    plan.edges.push_back({edge.from, 0, edge.to, 0}), plan.edges.back().count = edge.count;
  plan.model = certificate.goal.model;
  plan.certificate = certificate;
  if (const auto prediction = predict(plan); prediction.ok()) plan.certificate->prediction = *prediction;
  return plan;
}

}  // namespace woa::test
