// The shapes of trees, by number of sites and size, and what is left as it is.
#include "runtime/call_models/fan_out.h"

#include <bit>
#include <functional>

#include "runtime/call_models/call_model.h"
#include "tests/support/branching.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/unit/runtime/call_models/fan_out/routes.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kRoom = 64;
constexpr Port kSource{kSourceStage, 0};
constexpr std::uint64_t kLarge = 100 * kBytesPerLatency;

Routes grown(const Plan& plan, const Sites& sites, FanOut how) {
  const Plan tree = fan_out_by_tree(plan, sites, how);
  const Status status = validate(tree);
  INFO(status.message());
  REQUIRE(status.ok());
  return routes_of(tree, sites, kSource);
}

}  // namespace

TEST_CASE("large payloads take a binomial tree: the rounds that doubling takes, and no wider") {
  for (std::uint32_t readers = 1; readers <= 40; ++readers) {
    const Plan plan = branching(readers, kLarge);
    const Routes tree = grown(plan, apart(plan, kRoom), FanOut::kTree);
    const auto rounds = static_cast<std::uint32_t>(std::bit_width(readers));  // ceil(log2(readers + 1))
    REQUIRE(tree.widest == rounds);
    REQUIRE(tree.depth <= rounds);
    REQUIRE(tree.packets.size() == readers);
  }
}

TEST_CASE("three readers take a tree where a packet takes longer to write than on its way") {
  const auto widest = [](std::uint64_t bytes) {
    const Plan plan = branching(3, bytes);
    return grown(plan, apart(plan, kRoom), FanOut::kAuto).widest;
  };
  REQUIRE(widest(kBytesPerLatency + 1) == 2);
  REQUIRE(widest(kBytesPerLatency - 100) == 3);
  REQUIRE(widest(64) == 3);
}

TEST_CASE("the smaller the payload, the more the writer sends itself") {
  std::uint32_t last = 0;
  for (const std::uint64_t bytes : {kLarge, kBytesPerLatency, kBytesPerLatency / 4, kBytesPerLatency / 20}) {
    const Plan plan = branching(20, bytes);
    const std::uint32_t widest = grown(plan, apart(plan, kRoom), FanOut::kAuto).widest;
    REQUIRE(widest > last);
    last = widest;
  }
  REQUIRE(last == 20);
}

TEST_CASE("a site is sent one payload, which its controllers share; a small one each") {
  const Plan plan = branching(4, 1 << 20);
  const Sites sites{{1, 0, 0, 0, 0}, kRoom};  // the readers share memory, the writer is elsewhere
  const Routes large = grown(plan, sites, FanOut::kAuto);
  REQUIRE(large.entries.at(0) == 1);
  REQUIRE(large.relays == 1);
  REQUIRE(large.packets.size() == 4);
  for (const auto& [controller, packets] : large.packets) REQUIRE(packets == 1);
  const Plan small = branching(4, 64);
  REQUIRE(grown(small, sites, FanOut::kAuto).entries.at(0) == 4);
}

TEST_CASE("an fpga, which writes its own packets, is served and serves nobody") {
  Plan plan = branching(7, kLarge);
  plan.controllers[1] = make_controller("fpga:0", *find_backend("verilator"));
  for (StagePlan& stage : plan.stages)
    if (stage.controller == 1) stage.headers = HeaderWriter::kDevice;
  const Sites sites = apart(plan, kRoom);
  const Plan tree = fan_out_by_tree(plan, sites, FanOut::kTree);
  REQUIRE(validate(tree).ok());
  REQUIRE(tree.stages.size() > plan.stages.size());
  for (const StagePlan& stage : tree.stages) REQUIRE((stage.role != StageRole::kRelay || stage.controller != 1));
  REQUIRE(routes_of(tree, sites, kSource).reached.size() == 7);
}

TEST_CASE("a relay's readers keep what their edges had, and a block is taken until the last gave it back") {
  Plan plan = branching(3, kLarge);
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (plan.edges[e].from_stage != kSourceStage) continue;
    plan.edges[e].keep = e;
    plan.edges[e].blocks = static_cast<std::uint32_t>(10 + e);
    plan.edges[e].inline_bytes = static_cast<std::uint32_t>(e);
    plan.edges[e].lane = std::to_string(e);
  }
  const Plan tree = fan_out_by_tree(plan, apart(plan, kRoom), FanOut::kTree);
  for (const EdgePlan& old : plan.edges) {
    const auto now = std::ranges::find_if(
        tree.edges, [&](const EdgePlan& e) { return e.to_stage == old.to_stage && e.to_port == old.to_port; });
    EdgePlan same = *now;
    same.from_stage = old.from_stage;
    same.from_port = old.from_port;
    REQUIRE(same == old);
  }
  const auto to_relay = std::ranges::find_if(
      tree.edges, [&](const EdgePlan& e) { return tree.stages[e.to_stage].role == StageRole::kRelay; });
  REQUIRE(to_relay->keep == ~std::uint64_t{0});
  REQUIRE(to_relay->min_blocks == 1);
  REQUIRE(to_relay->blocks == 14);  // the first reader's 10, the third's 14
  REQUIRE(to_relay->lane == plan.edges[0].lane);
}

TEST_CASE("plans are left alone where a tree is not asked for, not allowed, or no use") {
  const Plan plan = branching(7, kLarge);
  const Sites sites = apart(plan, kRoom);
  REQUIRE_FALSE(fan_out_by_tree(plan, sites, FanOut::kAuto) == plan);
  REQUIRE(fan_out_by_tree(plan, sites, FanOut::kFlat) == plan);
  REQUIRE(fan_out_by_tree(plan, Sites(), FanOut::kTree) == plan);
  const Plan hub = need(rewrite(plan, "rpc-hub"));
  REQUIRE(fan_out_by_tree(hub, sites, FanOut::kTree) == hub);
  const std::vector<std::function<void(Plan&)>> changes{[](Plan& p) { p.edges[0].min_blocks = 2; },
                                                        [](Plan& p) { p.edges[0].loop = 0; },
                                                        [](Plan& p) { p.stages[2].inputs[0].hold = true; },
                                                        [](Plan& p) {  // two lanes to one controller
                                                          p.stages[3].controller = p.stages[2].controller;
                                                          p.edges[0].lane = "bulk";
                                                        }};
  for (const auto& change : changes) {
    Plan changed = plan;
    change(changed);
    REQUIRE(fan_out_by_tree(changed, sites, FanOut::kTree) == changed);
  }
}

}  // namespace woa::test
