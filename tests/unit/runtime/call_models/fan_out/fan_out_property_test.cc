// Trees in any graph over any sites: every reader is reached once, and nobody receives or sends more than without.
#include <rapidcheck.h>

#include <set>
#include <string>

#include "runtime/call_models/fan_out.h"
#include "tests/support/catch.h"
#include "tests/support/plan_builder.h"
#include "tests/unit/runtime/call_models/fan_out/routes.h"

namespace woa::test {
namespace {

std::uint32_t any_number(std::uint32_t from, std::uint32_t to) { return *rc::gen::inRange(from, to); }

// Stages on any controllers; each reads outputs of any stages before it.
Plan any_plan() {
  PlanBuilder builder(1, 1, any_number(0, 1U << 20));
  const std::uint32_t controllers = any_number(1, 12), stages = any_number(1, 25);
  std::vector<std::uint32_t> writers{kSourceStage};
  for (std::uint32_t s = 0; s < stages; ++s) {
    const std::uint32_t inputs = any_number(1, 4);
    const auto stage =
        builder.stage("s" + std::to_string(s), "join", "cpu:" + std::to_string(any_number(0, controllers)), inputs);
    for (std::uint32_t in = 0; in < inputs; ++in) {
      // Often of the source: it has many readers.
      const std::uint32_t from =
          any_number(0, 3) > 0 ? kSourceStage : writers[any_number(0, static_cast<std::uint32_t>(writers.size()))];
      builder.edge(from, 0, stage, in, any_number(0, 20) == 0 ? 2 : 1).lane = any_number(0, 20) == 0 ? "bulk" : "";
    }
    writers.push_back(stage);
  }
  Plan& plan = builder.raw();
  plan.stages[kSinkStage].inputs.clear();
  const PortType type = plan.stages[kSourceStage].outputs[0].type;
  for (const std::uint32_t writer : writers) {
    if (std::ranges::find(plan.edges, writer, &EdgePlan::from_stage) != plan.edges.end()) continue;
    const auto port = static_cast<std::uint32_t>(plan.stages[kSinkStage].inputs.size());
    plan.stages[kSinkStage].inputs.push_back({"out" + std::to_string(port), type, false, 0});
    builder.edge(writer, 0, kSinkStage, port);
  }
  return builder.build();
}

Sites any_sites(const Plan& plan) {
  Sites sites{{}, 64};
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) sites.of.push_back(any_number(0, 3) == 0 ? 0 : c);
  return sites;
}

template <class Key>
void no_more(const std::map<Key, std::uint32_t>& tree, const std::map<Key, std::uint32_t>& flat) {
  RC_ASSERT(tree.size() == flat.size());
  for (const auto& [key, count] : tree) {
    RC_ASSERT(flat.contains(key));
    RC_ASSERT(count <= flat.at(key));
  }
}

}  // namespace

TEST_CASE("in any graph every reader is reached once, and no controller is sent more than without trees") {
  CHECK(rc::check([] {
    const Plan plan = any_plan();
    RC_LOG() << validate(plan).message() << '\n';
    RC_ASSERT(validate(plan).ok());
    const Sites sites = any_sites(plan);
    const FanOut how = *rc::gen::element(FanOut::kAuto, FanOut::kTree);
    const Plan tree = fan_out_by_tree(plan, sites, how);
    RC_LOG() << validate(tree).message() << '\n';
    RC_ASSERT(validate(tree).ok());
    RC_ASSERT(std::equal(plan.stages.begin(), plan.stages.end(), tree.stages.begin()));
    for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
      for (std::uint32_t p = 0; p < plan.stages[s].outputs.size(); ++p) {
        const Routes before = routes_of(plan, sites, {s, p}), after = routes_of(tree, sites, {s, p});
        RC_ASSERT(after.reached == before.reached);
        no_more(after.packets, before.packets);
        no_more(after.entries, before.entries);
        RC_ASSERT(after.widest <= before.widest);
      }
    }
  }));
}

}  // namespace woa::test
