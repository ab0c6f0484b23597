// The transfer method of payloads: by the plan's limit, by the largest payload, and by the controllers at the ends.
#include "runtime/controller/transfer_method.h"

#include "runtime/call_models/call_model.h"
#include "runtime/controller/layout.h"
#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"
#include "tests/support/plan_builder.h"

namespace woa {
namespace {

constexpr auto kInlined = TransferMethod::kInline;
constexpr auto kPlaced = TransferMethod::kInPlace;
constexpr auto kPassed = TransferMethod::kByReference;

using Ranges = std::vector<MethodRange>;

Ranges between_controllers(std::uint64_t payload_bytes, std::uint32_t limit, bool relayed = false) {
  return choose_methods({.reach = Reach::kHost,
                         .passed_on = relayed,
                         .needs_block = false,
                         .payload_bytes = payload_bytes,
                         .inline_bytes = limit});
}

TEST_CASE("payloads within the limit are inline, larger ones in place") {
  CHECK(between_controllers(1 << 20, 64) == Ranges{{kInlined, 0, 64}, {kPlaced, 65, 1 << 20}});
  CHECK(between_controllers(1 << 20, 1000) == Ranges{{kInlined, 0, 1000}, {kPlaced, 1001, 1 << 20}});
  CHECK(between_controllers(65, 64) == Ranges{{kInlined, 0, 64}, {kPlaced, 65, 65}});
}

TEST_CASE("between joined stages nothing but the device moves payloads, whatever the limit") {
  Plan plan = test::chain_plan(2, "copy", 1);
  plan.edges[1].on_card = true;
  const EdgeFacts facts = facts_of(plan, 1);
  CHECK(facts.reach == Reach::kCard);
  CHECK(choose_methods(facts) == Ranges{{TransferMethod::kOnCard, 0, 1024}});
  CHECK(inline_limit(facts) == 0);
  plan.edges[1].on_card = false;
  CHECK(choose_methods(facts_of(plan, 1)) == Ranges{{kPlaced, 0, 1024}});
}

TEST_CASE("where no payload is above the limit there is one method, and where the limit is 0, too") {
  CHECK(between_controllers(64, 64) == Ranges{{kInlined, 0, 64}});
  CHECK(between_controllers(8, 64) == Ranges{{kInlined, 0, 8}});
  CHECK(between_controllers(0, 64) == Ranges{{kInlined, 0, 0}});
  CHECK(between_controllers(1 << 20, 0) == Ranges{{kPlaced, 0, 1 << 20}});
}

TEST_CASE("a relay passes on what is larger") {
  CHECK(between_controllers(4096, 64, true) == Ranges{{kInlined, 0, 64}, {kPassed, 65, 4096}});
  CHECK(between_controllers(4096, 0, true) == Ranges{{kPassed, 0, 4096}});
}

TEST_CASE("nothing is inline inside a controller, or where a device handles packets") {
  CHECK(choose_methods({.reach = Reach::kController, .payload_bytes = 8}) == Ranges{{kPlaced, 0, 8}});
  CHECK(choose_methods({.needs_block = true, .payload_bytes = 8}) == Ranges{{kPlaced, 0, 8}});
  CHECK(inline_limit({.needs_block = true, .payload_bytes = 8}) == 0);
  CHECK(inline_limit({.payload_bytes = 8}) == 8);
  CHECK(inline_limit({.payload_bytes = 8000}) == kDefaultInlineBytes);
}

// source -> a (cpu:0) -> f (fpga:0) -> b (cpu:0) -> c (cpu:0) -> sink
Plan through_a_device(std::uint64_t max_bytes) {
  test::PlanBuilder builder(1, 1, max_bytes);
  std::uint32_t last = kSourceStage;
  for (const auto& [name, on] : {std::pair{"a", "cpu:0"}, {"f", "fpga:0"}, {"b", "cpu:0"}, {"c", "cpu:0"}}) {
    const std::uint32_t next = builder.stage(name, "copy", on);
    builder.edge(last, 0, next, 0);
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0);
  Plan& plan = builder.raw();
  plan.controllers[builder.controller("fpga:0")] = make_controller("fpga:0", *find_backend("verilator"));
  plan.stages[kSinkStage + 2].headers = HeaderWriter::kDevice;
  return builder.build();
}

TEST_CASE("a plan's edges are judged by their ends") {
  const Plan plan = through_a_device(48);
  std::vector<TransferMethod> methods;
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
    methods.push_back(choose_methods(facts_of(plan, e)).back().method);
  CHECK(methods == std::vector{kInlined, kPlaced, kPlaced, kPlaced, kInlined});
}

TEST_CASE("the layout makes room behind headers for what the edges may send there, and no more") {
  Plan plan = through_a_device(1000);
  const auto room = [&plan](std::uint32_t limit) {
    for (EdgePlan& edge : plan.edges) edge.inline_bytes = limit;
    REQUIRE(validate(plan).ok());
    const Layout layout = make_layout(plan);
    std::vector<std::uint32_t> bytes;
    for (const ChannelLayout& channel : layout.channels) {
      if (!channel.control) bytes.push_back(channel.spec.inline_bytes);
    }
    return bytes;
  };
  // host to cpu:0, cpu:0 to host, cpu:0 to fpga:0, fpga:0 to cpu:0
  CHECK(room(0) == std::vector<std::uint32_t>{192, 192, 192, 192});
  CHECK(room(500) == std::vector<std::uint32_t>{512, 512, 192, 192});
  CHECK(room(kMaxInlineBytes) == std::vector<std::uint32_t>{1024, 1024, 192, 192});
}

TEST_CASE("a call keeps the limit of the edges that it takes the place of") {
  Plan plan = through_a_device(1000);
  for (EdgePlan& edge : plan.edges) edge.inline_bytes = 300;
  const Result<Plan> hub = rewrite(plan, "rpc-hub");
  REQUIRE(hub.ok());
  for (std::uint32_t e = 0; e < hub->edges.size(); ++e) CHECK(hub->edges[e].inline_bytes == 300);
  const auto last = static_cast<std::uint32_t>(hub->edges.size() - 1);
  CHECK(choose_methods(facts_of(*hub, last)) == Ranges{{kInlined, 0, 300}, {kPassed, 301, 1000}});
}

}  // namespace
}  // namespace woa
