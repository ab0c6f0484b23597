// Predictions and break-evens of graphs that are small enough to be counted by hand.
#include "compiler/predict/prediction.h"

#include <cmath>

#include "compiler/explain/break_even.h"
#include "compiler/place/call_route.h"
#include "compiler/place/certify.h"
#include "compiler/place/placement_problem.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/place/any_table.h"

namespace woa::test {
namespace {

constexpr std::int64_t kStage_ps = 10'000;
constexpr std::int64_t kLatency_ps = 1'000;
constexpr std::uint64_t kBytes = 10 * kPerMillion;

// Kernels that may each run on one component only, and no edges. Every link takes kLatency_ps, and 1 ps for a byte.
CostTable stages_at(const std::vector<std::uint32_t>& at, std::uint32_t controllers) {
  CostTable table;
  const std::uint32_t k = controllers + 1;
  for (std::uint32_t l = 0; l < k; ++l)
    table.components.push_back({l == kHost ? "host" : "cpu:" + std::to_string(l - 1), 1, {}, {}});
  table.links.assign(std::size_t{k} * k, {kLatency_ps, 1024, true});
  for (std::uint32_t l = 0; l < k; ++l) table.links[l * k + l] = {0, 0, true};
  table.stages.assign(2 + at.size(), {std::vector<std::int64_t>(k, kNowhere_ps), kPerMillion, {}});
  table.stages[0].time_ps[kHost] = table.stages[1].time_ps[kHost] = 0;
  for (std::size_t s = 0; s < at.size(); ++s) table.stages[2 + s].time_ps[at[s] + 1] = kStage_ps;
  return table;
}

CostTable chain(const std::vector<std::uint32_t>& at, std::uint32_t controllers, std::uint64_t bytes = kBytes) {
  CostTable table = stages_at(at, controllers);
  const auto last = static_cast<std::uint32_t>(at.size() + 1);
  table.edges.push_back({0, 2, kPerMillion, bytes});
  for (std::uint32_t s = 2; s < last; ++s) table.edges.push_back({s, s + 1, kPerMillion, bytes});
  table.edges.push_back({last, 1, kPerMillion, bytes});
  return table;
}

Certificate placed(const CostTable& costs, std::string_view model) {
  PlacementGoal goal;
  goal.model = model;
  const auto problem = placement_problem(costs, goal);
  REQUIRE(problem.ok());
  const auto solution = assign::solve(*problem);
  REQUIRE(solution.ok());
  return certify(goal, costs, *solution);
}

bool near(double found, double expected, double share) { return std::abs(found - expected) <= share * expected; }

Prediction predicted(const CostTable& costs, std::string_view model) {
  const auto prediction = predict(plan_of(costs, placed(costs, model)));
  REQUIRE(prediction.ok());
  return *prediction;
}

}  // namespace

TEST_CASE("a chain of three on three controllers takes k + 1 hops, 2k, or 5k") {
  const CostTable costs = chain({0, 1, 2}, 3);
  struct Expected {
    std::string_view model;
    std::uint64_t messages, bytes;
  };
  for (const Expected& expected : {Expected{"woa", 4, 40},
                                   {"rpc-fused", 6, 60},
                                   {"rpc-hub", 6, 60},
                                   {"rpc-nested", 6, 60},
                                   {"rpc-polled", 15, 60}}) {
    INFO(expected.model);
    const Prediction found = predicted(costs, expected.model);
    CHECK(found.messages == expected.messages * kPerMillion);
    CHECK(found.calls == expected.messages * kPerMillion);
    CHECK(found.hops == expected.messages * kPerMillion);
    CHECK(found.payload_bytes == expected.bytes * kPerMillion);
    const auto serial = 3 * kStage_ps + static_cast<std::int64_t>(expected.messages) * kLatency_ps +
                        static_cast<std::int64_t>(expected.bytes);
    CHECK(found.serial_ps == serial);
    CHECK(found.critical_path_ps == serial);
    CHECK(found.critical_kernels_ps == 3 * kStage_ps);
    CHECK(found.time_ps() == serial);
    CHECK(found.period_ps == kStage_ps);
    CHECK(found.bottleneck == "load of cpu:0");
  }
}

TEST_CASE("one instance alone wakes controllers that have waited for long") {
  CostTable costs = chain({0, 1, 2}, 3, 0);
  costs.wake_ps = 7 * kLatency_ps;
  CHECK(predicted(costs, "woa").alone_ps == predicted(costs, "woa").critical_path_ps);  // all answer at once
  costs.stages[3].time_ps[2] = kAwake_ps;
  Prediction found = predicted(costs, "woa");
  CHECK(found.alone_ps == found.critical_path_ps + 7 * kLatency_ps);
  CHECK(found.time_ps() == found.alone_ps);
  CHECK(found.critical_path_ps == found.serial_ps);
  found = predicted(costs, "rpc-hub");  // who passes it on, and who gets it
  CHECK(found.alone_ps == found.critical_path_ps + 2 * 7 * kLatency_ps);
  costs.stages[4].time_ps[3] = kAwake_ps;  // the host sleeps until the end, and the first stage until the host goes on
  found = predicted(costs, "woa");
  CHECK(found.alone_ps == found.critical_path_ps + 3 * 7 * kLatency_ps);
  costs.stages[4].time_ps[3] = kStage_ps;
  costs.stages[0].time_ps[0] = kAwake_ps;
  found = predicted(costs, "woa");
  CHECK(found.alone_ps == found.critical_path_ps + 2 * 7 * kLatency_ps);
  CHECK(found.serial_ps == 2 * kAwake_ps + 2 * kStage_ps + 4 * kLatency_ps);
  CHECK(found.critical_kernels_ps == kAwake_ps + 2 * kStage_ps);  // writing inputs is no kernel
}

TEST_CASE("more controllers than cores sleep earlier") {
  CostTable costs = chain({0, 1, 2}, 3, 0);
  costs.wake_ps = 7 * kLatency_ps;
  costs.stages[3].time_ps[2] = kAwakeCrowded_ps;
  for (ComponentCosts& component : costs.components) component.cores = "all";
  const auto wakes = [&](std::uint64_t cores) {
    costs.cores["all"] = cores;
    const Prediction found = predicted(costs, "woa");
    return (found.alone_ps - found.critical_path_ps) / (7 * kLatency_ps);
  };
  CHECK(wakes(4) == 0);
  CHECK(wakes(3) == 1);
  costs.components[kHost].cores.clear();  // the three that share them have a core each
  CHECK(wakes(3) == 0);
  CHECK(wakes(2) == 1);
}

TEST_CASE("only the first message of a long firing wakes who waits, and never the controller that has just fired") {
  const auto wakes = [](CostTable costs, std::string_view model, std::uint32_t elements = 0) {
    costs.wake_ps = 7 * kLatency_ps;
    CertifiedPlan plan = plan_of(costs, placed(costs, model));
    plan.stages[3].outputs.resize(1), plan.stages[3].outputs[0].many = elements;
    plan.stages[4].inputs.resize(1), plan.stages[4].inputs[0].gather = elements;
    const auto found = predict(plan);
    REQUIRE(found.ok());
    CHECK((found->alone_ps - found->critical_path_ps) % (7 * kLatency_ps) == 0);
    return (found->alone_ps - found->critical_path_ps) / (7 * kLatency_ps);
  };
  CostTable apart = chain({0, 1, 2}, 3, 0), beside = chain({0, 1, 1}, 2, 0);
  apart.stages[3].time_ps[2] = beside.stages[3].time_ps[2] = kAwake_ps;
  CHECK(wakes(apart, "rpc-polled") == 2);   // the answer wakes the host, the next call its controller
  CHECK(wakes(beside, "rpc-polled") == 1);  // the host
  CHECK(wakes(beside, "rpc-hub") == 1);
  CHECK(wakes(beside, "woa") == 0);
  CHECK(wakes(apart, "rpc-nested") == 3);  // cpu:2 is called; cpu:0 and the host wait for the return
  CHECK(wakes(beside, "rpc-nested") == 2);
  apart.edges[2].tokens = 100 * kPerMillion;
  apart.edges[2].requests = kPerMillion;
  apart.edges.push_back({3, 4, kPerMillion, 0, true});
  CHECK(wakes(apart, "woa", 100) == 1);
  CHECK(wakes(apart, "rpc-hub", 100) == 2);
  CHECK(wakes(apart, "rpc-polled", 100) == 1);  // the longest way is that of the elements
}

TEST_CASE("arguments of one call are several messages, and one call") {
  CostTable costs = stages_at({0}, 1);
  costs.edges = {{0, 2, kPerMillion, kBytes}, {0, 2, kPerMillion, kBytes}, {2, 1, kPerMillion, kBytes}};
  struct Expected {
    std::string_view model;
    std::uint64_t messages, calls;
  };
  for (const Expected& expected :
       {Expected{"woa", 3, 2}, {"rpc-fused", 3, 2}, {"rpc-hub", 3, 2}, {"rpc-nested", 4, 2}, {"rpc-polled", 6, 5}}) {
    INFO(expected.model);
    CertifiedPlan plan = plan_of(costs, placed(costs, expected.model));
    plan.edges[1].from_port = plan.edges[1].to_port = 1;
    const auto found = predict(plan);
    REQUIRE(found.ok());
    CHECK(found->messages == expected.messages * kPerMillion);
    CHECK(found->calls == expected.calls * kPerMillion);
  }
}

TEST_CASE("what one output sends to one controller crosses once, unless by way of the host") {
  CostTable costs = stages_at({0, 0}, 1);
  costs.edges = {
      {0, 2, kPerMillion, kBytes}, {0, 3, kPerMillion, kBytes}, {2, 1, kPerMillion, 0}, {3, 1, kPerMillion, 0}};
  CHECK(predicted(costs, "woa").payload_bytes == kBytes);
  CHECK(predicted(costs, "rpc-hub").payload_bytes == 2 * kBytes);
}

TEST_CASE("what goes to replicas and to another stage of a controller crosses once, whatever the order of the edges") {
  for (const bool all_first : {false, true}) {
    CostTable costs = stages_at({0, 1, 1, 1}, 2);
    const std::uint32_t all = all_first ? 0 : 2;
    costs.edges.push_back({0, 2, kPerMillion, kBytes});
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint64_t share = k == all ? 1 : 2;
      costs.stages[3 + k].firings = kPerMillion / share;
      costs.edges.push_back({2, 3 + k, kPerMillion / share, kBytes / share});
    }
    for (std::uint32_t s = 3; s < 6; ++s) costs.edges.push_back({s, 1, costs.stages[s].firings, 0});
    for (const std::string_view model : {"woa", "rpc-hub"}) {
      CertifiedPlan plan = plan_of(costs, placed(costs, model));
      for (std::uint32_t k = 0, replica = 0; k < 3; ++k)
        if (k != all) plan.edges[1 + k].choice = {2, replica++, 0, 0};
      const auto found = predict(plan);
      REQUIRE(found.ok());
      CHECK(found->payload_bytes == (model == "woa" ? 2 : 4) * kBytes);  // hub: two calls' arguments go their own ways
    }
  }
}

TEST_CASE("the count of a scatter, which goes to the gather, takes no elements with it") {
  CostTable costs = stages_at({0, 1, 1, 1}, 2);
  costs.edges = {{0, 2, kPerMillion, 0}, {2, 5, kPerMillion, 0}};  // the count
  for (const std::uint32_t match : {3U, 4U}) {
    costs.edges.push_back({2, match, kPerMillion, kBytes});
    costs.edges.push_back({match, 5, kPerMillion, 0});
  }
  costs.edges.push_back({5, 1, kPerMillion, 0});
  CertifiedPlan plan = plan_of(costs, placed(costs, "woa"));
  plan.edges[1].count = true;
  plan.edges[2].choice = {2, 0, 0, 1}, plan.edges[4].choice = {2, 1, 0, 1};
  const auto found = predict(plan);
  REQUIRE(found.ok());
  CHECK(found->payload_bytes == 2 * kBytes);
}

TEST_CASE("branches side by side count once in the critical path, a loop with all its turns") {
  CostTable costs = stages_at({0, 1}, 2);
  costs.edges = {{0, 2, kPerMillion, 0}, {0, 3, kPerMillion, 0}, {2, 1, kPerMillion, 0}, {3, 1, kPerMillion, 0}};
  const Prediction side = predicted(costs, "woa");
  CHECK(side.serial_ps == 2 * kStage_ps + 4 * kLatency_ps);
  CHECK(side.critical_path_ps == kStage_ps + 2 * kLatency_ps);
  CHECK(side.hops == 2 * kPerMillion);

  costs.edges = {
      {0, 2, kPerMillion, 0}, {2, 3, 5 * kPerMillion, 0}, {3, 2, 4 * kPerMillion, 0}, {3, 1, kPerMillion, 0}};
  costs.stages[2].firings = costs.stages[3].firings = 5 * kPerMillion;
  CertifiedPlan plan = plan_of(costs, placed(costs, "woa"));
  plan.edges[2].loop = 0;
  const auto loop = predict(plan);
  REQUIRE(loop.ok());
  CHECK(loop->messages == 11 * kPerMillion);
  CHECK(loop->hops == 11 * kPerMillion);
  CHECK(loop->critical_path_ps == 10 * kStage_ps + 11 * kLatency_ps);
}

TEST_CASE("of branches that are taken sometimes, an instance takes one") {
  CostTable costs = stages_at({0, 1, 2}, 3);
  costs.edges = {
      {0, 2, kPerMillion, 0}, {2, 3, 250'000, 0}, {2, 4, 750'000, 0}, {3, 1, 250'000, 0}, {4, 1, 750'000, 0}};
  costs.stages[3].firings = 250'000, costs.stages[4].firings = 750'000;
  costs.stages[3].time_ps[2] = 5 * kStage_ps;
  const Prediction either = predicted(costs, "woa");
  CHECK(either.hops == 3 * kPerMillion);
  CHECK(either.critical_kernels_ps == 3 * kStage_ps);  // 1 + (5 + 3 x 1) / 4
  CHECK(either.critical_path_ps == 3 * kStage_ps + 3 * kLatency_ps);
  CHECK(either.critical_path_ps == either.serial_ps);
}

TEST_CASE("a held token that comes to a branch which is not taken does not make it taken") {
  CostTable costs = stages_at({0, 1}, 2);
  costs.edges = {{0, 2, kPerMillion, 0},
                 {2, 1, kPerMillion / 2, 0},
                 {2, 3, kPerMillion / 2, 0},
                 {0, 3, kPerMillion, 0},
                 {3, 1, kPerMillion / 2, 0}};
  costs.stages[3].firings = kPerMillion / 2;
  CertifiedPlan plan = plan_of(costs, placed(costs, "woa"));
  plan.stages[3].inputs.resize(2), plan.stages[3].inputs[1].hold = true;
  plan.edges[3].to_port = 1;
  const auto found = predict(plan);
  REQUIRE(found.ok());
  CHECK(found->hops == kPerMillion * 5 / 2);  // two or three
  CHECK(found->critical_kernels_ps == kStage_ps * 3 / 2);
}

TEST_CASE("a held token that no firing reads stays with its caller") {
  CostTable costs = stages_at({0, 1}, 2);
  costs.edges = {{0, 2, kPerMillion, kBytes}, {2, 1, kPerMillion, kBytes}, {2, 3, 2 * kPerMillion, 2 * kBytes}};
  costs.edges.back().unread = kPerMillion, costs.edges.back().unread_bytes = kBytes / 2;
  costs.stages[3].firings = 0;
  struct Expected {
    std::string_view model;
    std::uint64_t messages, bytes;
  };
  for (const Expected& expected :
       {Expected{"woa", 4, 40}, {"rpc-fused", 6, 60}, {"rpc-hub", 5, 55}, {"rpc-polled", 10, 55}}) {
    INFO(expected.model);
    CertifiedPlan plan = plan_of(costs, placed(costs, expected.model));
    plan.edges[1].from_port = 1;
    const auto found = predict(plan);
    REQUIRE(found.ok());
    CHECK(found->messages == expected.messages * kPerMillion);
    CHECK(found->payload_bytes == expected.bytes * kPerMillion);
    CHECK(found->serial_ps == plan.certificate->value_ps);
  }
  costs.edges.back().unread = 3 * kPerMillion;
  CHECK(placement_problem(costs, {}).status().message().find("never read") != std::string::npos);
}

TEST_CASE("the body of a loop counts though its head leaves it") {
  CostTable costs = stages_at({0, 1}, 2);
  costs.edges = {
      {0, 2, kPerMillion, 0}, {2, 3, 4 * kPerMillion, 0}, {3, 2, 4 * kPerMillion, 0}, {2, 1, kPerMillion, 0}};
  costs.stages[2].firings = 5 * kPerMillion, costs.stages[3].firings = 4 * kPerMillion;
  CertifiedPlan plan = plan_of(costs, placed(costs, "woa"));
  plan.edges[2].loop = 0;
  const auto loop = predict(plan);
  REQUIRE(loop.ok());
  CHECK(loop->hops == 10 * kPerMillion);
  CHECK(loop->critical_path_ps == 9 * kStage_ps + 10 * kLatency_ps);
  CHECK(loop->critical_path_ps == loop->serial_ps);
}

TEST_CASE("a gather waits for the last of the replicas that work side by side") {
  CostTable costs = stages_at({0, 1, 2, 0}, 3);
  constexpr std::uint64_t kElements = 3;
  costs.edges = {{0, 2, kPerMillion, 0},     {2, 3, 2 * kPerMillion, 0}, {2, 4, 1 * kPerMillion, 0},
                 {3, 5, 2 * kPerMillion, 0}, {4, 5, 1 * kPerMillion, 0}, {5, 1, kPerMillion, 0}};
  costs.stages[3].firings = 2 * kPerMillion;
  CertifiedPlan plan = plan_of(costs, placed(costs, "woa"));
  plan.stages[2].outputs.resize(1), plan.stages[2].outputs[0].many = kElements;
  plan.stages[5].inputs.resize(1), plan.stages[5].inputs[0].gather = kElements;
  const auto found = predict(plan);
  REQUIRE(found.ok());
  CHECK(found->critical_kernels_ps == 4 * kStage_ps);  // two of the three elements come after one another
  CHECK(found->serial_ps == 5 * kStage_ps + 8 * kLatency_ps);
}

TEST_CASE("replicas that share the instances take what one would") {
  CostTable costs = stages_at({0, 0, 0, 0}, 1);
  costs.edges = {{0, 2, kPerMillion / 2, 0}, {0, 3, kPerMillion / 2, 0}, {2, 4, kPerMillion, 0},
                 {3, 4, kPerMillion, 0},     {2, 5, kPerMillion / 2, 0}, {3, 5, kPerMillion / 2, 0},
                 {4, 5, 2 * kPerMillion, 0}, {5, 1, kPerMillion, 0}};
  costs.stages[2].firings = costs.stages[3].firings = kPerMillion / 2, costs.stages[4].firings = 2 * kPerMillion;
  CertifiedPlan plan = plan_of(costs, placed(costs, "woa"));
  plan.stages[2].name = "cut[0]", plan.stages[3].name = "cut[1]";
  for (std::uint32_t k = 0; k < 2; ++k) {
    plan.stages[2 + k].outputs.resize(1), plan.stages[2 + k].outputs[0].many = 2;
    plan.edges[k].choice = {2, k, 0, 0};
    plan.edges[4 + k].count = true;
  }
  plan.stages[5].inputs.resize(1), plan.stages[5].inputs[0].gather = 2;
  const auto found = predict(plan);
  REQUIRE(found.ok());
  CHECK(found->critical_kernels_ps == 4 * kStage_ps);
  CHECK(found->critical_path_ps == found->serial_ps);
  CHECK(found->hops == 2 * kPerMillion);  // from the host and back

  costs.edges = {{0, 2, kPerMillion / 2, 0}, {0, 3, kPerMillion / 2, 0}, {2, 4, kPerMillion, 0}, {3, 4, kPerMillion, 0},
                 {4, 2, kPerMillion / 2, 0}, {4, 3, kPerMillion / 2, 0}, {4, 1, kPerMillion, 0}};
  costs.stages[2].firings = costs.stages[3].firings = kPerMillion;
  plan = plan_of(costs, placed(costs, "woa"));
  plan.stages[2].name = "turn[0]", plan.stages[3].name = "turn[1]";
  plan.edges[4].loop = plan.edges[5].loop = 0;
  const auto loop = predict(plan);
  REQUIRE(loop.ok());
  CHECK(loop->critical_path_ps == 4 * kStage_ps + 2 * kLatency_ps);  // the fourth stage is not reached
  CHECK(loop->hops == 2 * kPerMillion);
}

TEST_CASE("a plan without a certificate, and one of another graph") {
  const CostTable costs = chain({0}, 1);
  CertifiedPlan plan = plan_of(costs, placed(costs, "woa"));
  plan.edges.pop_back();
  CHECK(predict(plan).status().code() == Code::kInvalid);
  plan.certificate.reset();
  CHECK(predict(plan).status().code() == Code::kNotFound);
}

TEST_CASE("the break-even of a chain of two is where one latency of four is one per cent") {
  const auto even = find_break_even(placed(chain({0, 1}, 2, 0), "woa"), std::chrono::seconds(60));
  REQUIRE(even.ok());
  CHECK(even->rpc == "rpc-fused");
  CHECK(near(even->ratio, 24.0 / 23, 1e-9));
  CHECK(even->why_nothing.empty());
  CHECK(even->exact);
  CHECK(even->latency_ps == std::uint64_t{kLatency_ps});
  REQUIRE(even->latency.has_value());
  CHECK(near(even->latency->least, 0.01 * 2 * kStage_ps / 0.97 / kLatency_ps, 0.03));
  CHECK(!even->latency->most.has_value());
  REQUIRE(even->payload.has_value());  // there is none: it gains whatever its size
  CHECK(even->payload->least == 0);
  CHECK(!even->payload->most.has_value());
}

TEST_CASE("the latency that a break-even is measured by is that of a link that something goes over") {
  CostTable costs = chain({0, 1}, 2);
  costs.links[2 * 3 + 1].latency_ps = 1'000 * kLatency_ps;  // back: nothing does
  costs.links[1 * 3 + 2].latency_ps = 2 * kLatency_ps;
  const auto even = find_break_even(placed(costs, "woa"), std::chrono::seconds(60));
  REQUIRE(even.ok());
  CHECK(even->latency_ps == std::uint64_t{2 * kLatency_ps});
}

TEST_CASE("where WOA gains nothing it is said, and why") {
  const auto one = find_break_even(placed(chain({0, 0}, 1), "woa"), std::chrono::seconds(60));
  REQUIRE(one.ok());
  CHECK(one->ratio == 1);
  CHECK(one->why_nothing.find("all stages are on one controller") != std::string::npos);
  CHECK(!one->latency.has_value());
  CHECK(!one->payload.has_value());

  CostTable costs = stages_at({0, 1}, 2);
  for (const std::uint32_t s : {2U, 3U}) {
    costs.edges.push_back({0, s, kPerMillion, kBytes});
    costs.edges.push_back({s, 1, kPerMillion, kBytes});
  }
  const auto apart = find_break_even(placed(costs, "woa"), std::chrono::seconds(60));
  REQUIRE(apart.ok());
  CHECK(apart->ratio == 1);
  CHECK(apart->why_nothing.find("no token goes from one of the controllers to another") != std::string::npos);

  costs = chain({0, 1}, 2);
  costs.links[1 * 3 + 2] = costs.links[2 * 3 + 1] = {2 * kLatency_ps, 2048, false};
  const auto around = find_break_even(placed(costs, "woa"), std::chrono::seconds(60));
  REQUIRE(around.ok());
  CHECK(around->ratio == 1);
  CHECK(around->why_nothing.find("have a direct link") != std::string::npos);

  costs = chain({0, 1}, 2);
  costs.links[1 * 3 + 2].latency_ps = 100 * kLatency_ps;
  const auto slow = find_break_even(placed(costs, "woa"), std::chrono::seconds(60));
  REQUIRE(slow.ok());
  CHECK(slow->ratio < 1);
  CHECK(slow->why_nothing.find("a direct link takes longer than the way by the host") != std::string::npos);

  costs = chain({0, 1}, 2);
  for (std::size_t s = 2; s < 4; ++s)
    for (std::int64_t& time : costs.stages[s].time_ps) time *= time > 0 ? 1'000 : 1;
  const auto little = find_break_even(placed(costs, "woa"), std::chrono::seconds(60));
  REQUIRE(little.ok());
  CHECK(little->why_nothing.find("too little of the time") != std::string::npos);
  REQUIRE(little->latency.has_value());
  CHECK(little->latency->least > 1);  // so slow would links have to be

  CHECK(find_break_even(placed(costs, "rpc-hub"), std::chrono::seconds(1)).status().code() == Code::kInvalid);
}

TEST_CASE("where the caller keeps what nobody reads that is why WOA gains nothing, though links and times are good") {
  CostTable costs = stages_at({0, 1}, 2);  // both get inputs, and the second holds 20 tokens of the first
  costs.edges = {{0, 2, kPerMillion, kBytes},
                 {0, 3, kPerMillion, kBytes},
                 {2, 3, 20 * kPerMillion, 20 * kBytes},
                 {3, 1, kPerMillion, kBytes}};
  EdgeCosts& held = costs.edges[2];
  held.unread = 20 * kPerMillion, held.unread_bytes = 20 * kBytes;
  const auto why = [&] {
    const auto even = find_break_even(placed(costs, "woa"), std::chrono::seconds(60));
    REQUIRE(even.ok());
    return std::pair(even->ratio, even->why_nothing);
  };
  const std::string keeps = "held tokens that no firing reads stay with the caller";
  CHECK(why().first == 1);
  CHECK(why().second.starts_with(keeps));
  costs.edges.push_back({0, 3, kPerMillion, kBytes, false, kPerMillion, kBytes});  // which the host holds back
  CHECK(why().first * BreakEven::kAsGood < 1);
  CHECK(why().second.starts_with(keeps));
  for (EdgeCosts& edge : costs.edges) edge.unread = edge.unread_bytes = 0;
  CHECK(why().first > BreakEven::kAsGood);
  CHECK(why().second.empty());
}

}  // namespace woa::test
