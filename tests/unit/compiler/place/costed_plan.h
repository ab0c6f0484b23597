// Plans made by hand with what their stages take, as the compiler would have placed them.
#pragma once

#include <string>
#include <utility>

#include "compiler/predict/prediction.h"
#include "tests/support/catch.h"
#include "tests/support/plan_builder.h"

namespace woa::test {

class CostedPlan {
 public:
  static constexpr std::uint32_t kSource = kSourceStage, kSink = kSinkStage;

  // Links between so many controllers and the host all cost the same; a controller has a worker.
  CostedPlan(std::uint32_t controllers, std::uint32_t window, const LinkCosts& link = {}) : plan_(1, 1) {
    plan_.raw().window = window;
    const std::uint32_t k = controllers + 1;
    for (std::uint32_t l = 0; l < k; ++l) costs.components.push_back({name_of(l), 1, {}, {}});
    costs.links.assign(std::size_t{k} * k, link);
    for (std::uint32_t l = 0; l < k; ++l) costs.links[l * k + l] = {};
    for (int host_stage = 0; host_stage < 2; ++host_stage) add_costs(kHostComponent, 0, kPerMillion);
  }

  // On the controller of that number, from 1.
  std::uint32_t stage(std::uint32_t at, std::int64_t time_ps, std::uint64_t firings = kPerMillion) {
    const std::uint32_t s = plan_.stage("s" + std::to_string(costs.stages.size()), "copy", name_of(at), 0, 0);
    add_costs(at, time_ps, firings);
    return s;
  }
  // Between ports of their own, but for those of source and sink.
  EdgePlan& edge(std::uint32_t from, std::uint32_t to, std::uint64_t tokens = kPerMillion, std::uint64_t bytes = 0,
                 std::uint32_t min_blocks = 1) {
    const PortType type{"bytes", {}, 1024};
    Plan& plan = plan_.raw();
    auto& outputs = plan.stages[from].outputs;
    auto& inputs = plan.stages[to].inputs;
    if (from != kSource) outputs.push_back({"out" + std::to_string(outputs.size()), type, -1});
    if (to != kSink) inputs.push_back({"in" + std::to_string(inputs.size()), type, false, 0});
    costs.edges.push_back({from, to, tokens, bytes});
    return plan_.edge(from, static_cast<std::uint32_t>(outputs.size() - 1), to,
                      static_cast<std::uint32_t>(inputs.size() - 1), min_blocks);
  }
  CertifiedPlan build(std::optional<std::uint64_t> most_period_ps = std::nullopt) {
    CertifiedPlan plan(plan_.build());
    Certificate certificate;
    certificate.goal.most_period_ps = most_period_ps;
    certificate.costs = costs;
    certificate.placement = placement_;
    plan.certificate = std::move(certificate);
    const auto prediction = predict(plan);
    REQUIRE(prediction.status().message() == "");
    plan.certificate->prediction = *prediction;
    return plan;
  }
  Plan& raw() { return plan_.raw(); }

  CostTable costs;

 private:
  static std::string name_of(std::uint32_t component) {
    return component == kHostComponent ? "host" : "cpu:" + std::to_string(component - 1);
  }
  void add_costs(std::uint32_t at, std::int64_t time_ps, std::uint64_t firings) {
    StageCosts stage{std::vector<std::int64_t>(costs.components.size(), kNowhere_ps), firings, {}};
    stage.time_ps[at] = time_ps;
    costs.stages.push_back(std::move(stage));
    placement_.push_back(at);
  }

  PlanBuilder plan_;
  std::vector<std::uint32_t> placement_;
};

}  // namespace woa::test
