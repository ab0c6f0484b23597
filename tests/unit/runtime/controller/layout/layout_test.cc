// The memory that a plan needs, shared or as replicas.
#include "runtime/controller/layout.h"

#include <algorithm>
#include <array>

#include "runtime/call_models/call_model.h"
#include "runtime/controller/region_view.h"
#include "runtime/controller/transfer_method.h"
#include "tests/support/branching.h"
#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"
#include "tests/support/need.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kRoom = 64;

Plan fork() { return fork_plan("copy", "cpu:1"); }

// True if the region takes an activation with `bytes` bytes at `offset`.
bool takes(const RegionLayout& region, std::uint32_t offset, std::uint64_t bytes) {
  ActivationPacket packet;
  packet.offset = offset;
  packet.payload_bytes = bytes;
  return RegionView(region, {}).holds(packet);
}

}  // namespace

TEST_CASE("a channel lists each region that its packets may name once, in ascending order") {
  for (const char* model : {"woa", "rpc-hub"}) {
    const Plan plan = need(rewrite(fork(), model));
    const Layout layout = make_layout(plan);
    for (std::uint32_t c = 0; c < layout.channels.size(); ++c) {
      std::vector<std::uint16_t> expected;
      for (std::uint16_t r = 0; r < layout.regions.size(); ++r) {
        const bool named = std::any_of(layout.edges.begin(), layout.edges.end(), [&](const EdgeLayout& edge) {
          return edge.crosses() && edge.channel == c &&
                 std::find(edge.regions.begin(), edge.regions.end(), r) != edge.regions.end();
        });
        if (named) expected.push_back(r);
      }
      REQUIRE(layout.channels[c].regions == expected);
    }
  }
}

TEST_CASE("what stays on a card has no region, no blocks and no channel") {
  Plan plan = chain_plan(3, "copy", 1);
  const std::size_t channels = make_layout(plan).channels.size();
  plan.edges[1].on_card = plan.edges[2].on_card = true;
  const Layout layout = make_layout(plan);
  REQUIRE(layout.regions.size() == 2);
  CHECK(layout.regions[0].stage == kSourceStage);
  CHECK(layout.regions[1].stage == 4);
  CHECK(layout.region_of[2][0] == -1);
  CHECK(layout.passed_input[2][0] == -1);
  CHECK(layout.edges[1].regions.empty());
  CHECK(layout.in_edges[3][0].empty());
  CHECK(layout.channels.size() == channels);
}

TEST_CASE("what goes to replicas and to another stage of a controller counts once, whatever the order of the edges") {
  for (const bool all_first : {false, true}) {
    PlanBuilder builder(1, 3);
    const auto a = builder.stage("a", "copy", "cpu:0");
    std::vector<std::uint32_t> readers;
    for (const char* name : {"x", "y", "z"}) readers.push_back(builder.stage(name, "copy", "cpu:1"));
    builder.edge(kSourceStage, 0, a, 0);
    const std::size_t all = all_first ? 0 : 2;
    for (std::uint32_t k = 0, replica = 0; k < 3; ++k) {
      EdgePlan& edge = builder.edge(a, 0, readers[k], 0);
      if (k != all) edge.choice = {2, replica++, 0, 0};
    }
    for (std::uint32_t k = 0; k < 3; ++k) builder.edge(readers[k], 0, kSinkStage, k);
    const Layout layout = make_layout(builder.build());
    for (std::size_t k = 0; k < 3; ++k) CHECK(layout.edges[1 + k].counts_payload == (k == all));
  }
}

TEST_CASE("edges that take different tokens to a controller all count") {
  const std::array<ReplicaChoice, 5> edges{
      ReplicaChoice{2, 0, 0, 0}, {2, 1, 0, 0}, {2, 0, 0, 0}, {4, 3, 0, 0}, {4, 3, 8, 2}};
  CHECK(counts_payload(edges, 0));
  CHECK(counts_payload(edges, 1));
  CHECK(!counts_payload(edges, 2));  // as number 0
  CHECK(!counts_payload(edges, 3));  // odd, as all of number 1
  CHECK(counts_payload(edges, 4));   // chosen by another counter
}

TEST_CASE("edges of one lane between two controllers share a channel, and every controller has one for control") {
  PlanBuilder builder(1, 3);
  const auto a = builder.stage("a", "append", "cpu:0", 1, 3);
  builder.edge(kSourceStage, 0, a, 0).lane = "bulk";
  builder.edge(a, 0, kSinkStage, 0).lane = "bulk";
  builder.edge(a, 1, kSinkStage, 1);
  builder.edge(a, 2, kSinkStage, 2).lane = "bulk";
  const Plan plan = builder.build();
  const Layout layout = make_layout(plan);
  const auto lane = [&](std::uint32_t edge) { return layout.channels[layout.edges[edge].channel].lane; };
  REQUIRE(layout.channels.size() == 4);
  REQUIRE(layout.edges[1].channel == layout.edges[3].channel);
  REQUIRE(std::vector{lane(0), lane(1), lane(2)} == std::vector<std::string>{"bulk", "bulk", ""});
  const ChannelLayout& control = layout.channels[layout.control_of[1]];
  REQUIRE((control.control && control.from == kHostController && control.to == 1 && control.regions.empty()));
}

TEST_CASE(
    "edges of stages that forward differently have channels of their own, and only shared memory is published by "
    "devices") {
  Plan plan = fork();
  plan.controllers[1].traits.publishes = Publisher::kQueue;
  StagePlan& a = plan.stages[plan.edges[1].from_stage];
  plan.stages.push_back(a);  // d, which the host publishes for, beside a
  plan.stages.back().name = "d";
  const auto d = static_cast<std::uint32_t>(plan.stages.size() - 1);
  plan.edges[2].from_stage = d;
  plan.stages[kSourceStage].outputs.push_back({"more", plan.stages[kSourceStage].outputs[0].type, -1});
  plan.edges.push_back({kSourceStage, 1, d, 0, ~std::uint64_t{0}, 0, -1, 1, 4});
  Plan published = plan;
  published.stages[plan.edges[1].from_stage].publishes = Publisher::kQueue;
  for (StagePlan& stage : published.stages)
    for (OutputPortPlan& port : stage.outputs) port.type = {"u8", {{"", 8, 0}}, 8};
  const Layout shared = make_layout(published), by_wire = make_layout(published, {{0, 0, 1}, kRoom});
  const auto channel = [](const Layout& layout, std::uint32_t edge) -> const ChannelLayout& {
    return layout.channels[layout.edges[edge].channel];
  };
  CHECK(make_layout(plan).edges[1].channel == make_layout(plan).edges[2].channel);
  CHECK(&channel(shared, 1) != &channel(shared, 2));
  CHECK(channel(shared, 1).publishes == Publisher::kQueue);
  CHECK(channel(shared, 2).publishes == Publisher::kHost);
  CHECK(shared.edges[1].inline_bytes == 0);
  CHECK(shared.edges[2].inline_bytes == 8);
  CHECK(channel(shared, 1).spec.inline_bytes >= kPoisonMessageBytes);
  CHECK(&channel(by_wire, 1) == &channel(by_wire, 2));
  CHECK(channel(by_wire, 1).publishes == Publisher::kHost);
  CHECK(by_wire.edges[1].inline_bytes == 8);
}

TEST_CASE("a call takes the lane that an edge to its argument names") {
  PlanBuilder builder(1, 1);
  const auto choose = builder.stage("choose", "odd_even", "cpu:0", 1, 2), reader = builder.stage("r", "copy", "cpu:1");
  builder.raw().stages[choose].outputs[0].one_of = builder.raw().stages[choose].outputs[1].one_of = 0;
  builder.edge(kSourceStage, 0, choose, 0);
  builder.edge(choose, 0, reader, 0).lane = "bulk";
  builder.edge(choose, 1, reader, 0);
  builder.edge(reader, 0, kSinkStage, 0);
  const Plan hub = need(rewrite(builder.build(), "rpc-hub"));
  const auto call =
      std::find_if(hub.edges.begin(), hub.edges.end(), [&](const EdgePlan& edge) { return edge.to_stage == reader; });
  REQUIRE(call->lane == "bulk");
}

TEST_CASE("of replicas, headers carry a CRC and a relay is sent every payload in its block") {
  const Plan plan = need(rewrite(fork(), "rpc-hub"));
  const Layout shared = make_layout(plan), replicas = make_layout(plan, apart(plan, kRoom));
  std::size_t to_relays = 0, others = 0;
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (!shared.edges[e].crosses()) continue;
    const bool relay = plan.stages[plan.edges[e].to_stage].role == StageRole::kRelay;
    ++(relay ? to_relays : others);
    REQUIRE(shared.edges[e].inline_bytes != 0);
    REQUIRE((replicas.edges[e].inline_bytes != 0) == !relay);
  }
  REQUIRE(to_relays > 0);
  REQUIRE(others > 0);
  for (const ChannelLayout& channel : shared.channels) REQUIRE_FALSE(channel.spec.header_crc);
  for (const ChannelLayout& channel : replicas.channels) REQUIRE(channel.spec.header_crc);
}

TEST_CASE("a kernel writes over payloads of its own site only, and only what crosses has header room") {
  PlanBuilder builder(1, 1, 1000);
  std::uint32_t last = kSourceStage;
  std::vector<std::uint32_t> stages;
  for (const char* controller : {"cpu:0", "cpu:1", "cpu:2"}) {
    stages.push_back(builder.stage("s" + std::to_string(stages.size()), "append", controller));
    builder.edge(last, 0, stages.back(), 0).keep = 0;
    builder.raw().stages[stages.back()].outputs[0].in_place = 0;
    last = stages.back();
  }
  builder.edge(last, 0, kSinkStage, 0).keep = 0;
  const Plan plan = builder.build();
  const auto passes = [&](const Layout& layout, std::size_t stage) {
    return layout.passed_input[stages[stage]][0] == 0;
  };
  const Layout one = make_layout(plan), last_apart = make_layout(plan, {{0, 0, 0, 3}, kRoom}),
               first_apart = make_layout(plan, {{0, 1, 0, 0}, kRoom});
  for (const std::size_t s : {0, 1, 2}) REQUIRE(passes(one, s));
  REQUIRE(passes(last_apart, 0));
  REQUIRE(passes(last_apart, 1));
  REQUIRE_FALSE(passes(last_apart, 2));
  // The first and the second would write over payloads from another site; the third would not.
  REQUIRE_FALSE(passes(first_apart, 0));
  REQUIRE_FALSE(passes(first_apart, 1));
  REQUIRE(passes(first_apart, 2));
  for (const RegionLayout& region : one.regions) REQUIRE(region.header_room == 0);
  // So the second sends in place, though the plan lets its payloads be passed on.
  REQUIRE(choose_methods(facts_of(plan, one, 2)).back().method == TransferMethod::kByReference);
  REQUIRE(choose_methods(facts_of(plan, first_apart, 2)).back().method == TransferMethod::kInPlace);
}

TEST_CASE("a lane that is bound takes its wire wherever its ends are, and others take the first between sites") {
  PlanBuilder builder(1, 1);
  std::uint32_t last = kSourceStage;
  std::vector<std::uint32_t> stages;
  for (const char* controller : {"cpu:0", "cpu:1", "cpu:1", "cpu:2"}) {
    stages.push_back(builder.stage("s" + std::to_string(stages.size()), "append", controller));
    builder.edge(last, 0, stages.back(), 0).lane = stages.size() == 1 ? "" : "bulk";
    builder.raw().stages[stages.back()].outputs[0].in_place = 0;
    last = stages.back();
  }
  builder.edge(last, 0, kSinkStage, 0);
  const Plan plan = builder.build();
  using Wires = std::vector<std::optional<std::uint32_t>>;
  const auto wires = [](const Layout& layout) {
    Wires out;
    for (const EdgeLayout& edge : layout.edges) {
      out.push_back(edge.wire);
      if (edge.crosses()) REQUIRE(layout.channels[edge.channel].wire == edge.wire);
    }
    return out;
  };
  const Layout none = make_layout(plan), one = make_layout(plan, {{}, kRoom, {{"bulk", 0}}}),
               two = make_layout(plan, {{0, 1, 0, 0}, kRoom, {{"bulk", 1}}});
  REQUIRE(wires(none) == Wires(5));
  REQUIRE(wires(one) == Wires{std::nullopt, 0, std::nullopt, 0, std::nullopt});  // the third stays in its controller
  REQUIRE(wires(two) == Wires{0, 1, std::nullopt, 1, std::nullopt});
  REQUIRE((wires_of(none) == 0 && wires_of(one) == 1 && wires_of(two) == 2));
  for (const std::uint32_t control : one.control_of) REQUIRE_FALSE(one.channels[control].wire);
  REQUIRE(two.channels[two.control_of[1]].wire == 0U);
  REQUIRE_FALSE(two.channels[two.control_of[2]].wire);
  // With the lane bound no stage writes over its input, though all share memory: each input came by wire, or would go
  // on by it.
  for (const std::uint32_t s : stages) {
    REQUIRE(none.passed_input[s][0] == 0);
    REQUIRE(one.passed_input[s][0] == -1);
  }
}

TEST_CASE("a lane that the plan does not name cannot be bound, and it is said which there are") {
  Plan plan = fork();
  REQUIRE(check_lanes(plan, {}).ok());
  const Status none = check_lanes(plan, {{"bulk", 0}});
  REQUIRE((none.code() == Code::kInvalid && says(none, "'bulk'") && says(none, "none names any")));
  plan.edges[0].lane = "b", plan.edges[1].lane = "a";
  REQUIRE(check_lanes(plan, {{"a", 0}, {"b", 1}}).ok());
  REQUIRE(says(check_lanes(plan, {{"a", 0}, {"bulk", 1}}), "'bulk'; there are: 'a', 'b'"));
  REQUIRE(check_lanes(plan, {{"", 0}}).code() == Code::kInvalid);
}

TEST_CASE(
    "who shares a region with others of its site has it in the site's memory, who has it by wire only a replica") {
  const Plan plan = fork();  // a's output goes to two stages of cpu:1
  const auto region = [&](const Sites& sites) {
    const Layout layout = make_layout(plan, sites);
    return layout.regions[static_cast<std::size_t>(layout.region_of[plan.edges[1].from_stage][0])];
  };
  const auto shared = [&](const Sites& sites) {
    const RegionLayout of_a = region(sites);
    REQUIRE((of_a.producer == 1 && of_a.consumers == std::vector<std::uint32_t>{2}));
    return std::pair{of_a.is_in_site_memory(1), of_a.is_in_site_memory(2)};
  };
  REQUIRE(shared({}) == std::pair{true, true});
  REQUIRE(shared({{0, 1, 0}, kRoom}) == std::pair{false, false});
}

TEST_CASE("a back-end may register regions that its stages touch, by number, as many as its budget holds") {
  constexpr std::uint64_t kBytes = 4096;  // of each region: 4 blocks of 1 KiB; fork() has 4
  const auto registered = [](Plan plan, std::uint64_t budget) {
    for (ControllerPlan& controller : plan.controllers) controller.traits.registers = budget;
    const Layout layout = make_layout(plan);
    std::vector<std::vector<std::uint32_t>> by_region;
    for (const RegionLayout& region : layout.regions) by_region.push_back(region.registered_by);
    return by_region;
  };
  using Lists = std::vector<std::vector<std::uint32_t>>;  // by output: source, a (two readers), b, c
  Plan plan = fork();
  CHECK(registered(plan, 0) == Lists{{}, {}, {}, {}});
  CHECK(registered(plan, kBytes - 1) == Lists{{}, {}, {}, {}});
  CHECK(registered(plan, kBytes) == Lists{{0, 1}, {}, {2}, {}});  // a's has twice the blocks: too large
  CHECK(registered(plan, 3 * kBytes) == Lists{{0, 1}, {1, 2}, {0, 2}, {0}});
  CHECK(registered(plan, 4 * kBytes) == Lists{{0, 1}, {1, 2}, {0, 2}, {0, 2}});
  const Layout none = make_layout(plan);
  for (const RegionLayout& region : none.regions) {
    std::vector<std::uint32_t> users{region.producer};
    users.insert(users.end(), region.consumers.begin(), region.consumers.end());
    CHECK(region.touched_by == users);
  }
}

TEST_CASE("an end of an edge stages payloads that its back-end would register and may not") {
  constexpr std::uint32_t a = 2, b = 3, c = 4;
  Plan plan = chain_on({"cpu:0", "cpu:0", "cpu:1"}, "copy");
  BackendTraits& traits = plan.controllers[1].traits;
  const auto staged = [&] {  // of each edge: its writer's end, its reader's
    const Layout layout = make_layout(plan);
    std::vector<std::array<bool, 2>> ends;
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
      ends.push_back(
          {is_staged(plan, layout, e, plan.edges[e].from_stage), is_staged(plan, layout, e, plan.edges[e].to_stage)});
    return ends;
  };
  using Ends = std::vector<std::array<bool, 2>>;  // source -> a -> b -> c -> sink
  REQUIRE((plan.edges[1].from_stage == a && plan.edges[2].from_stage == b && plan.edges[2].to_stage == c));
  CHECK(staged() == Ends{{false, false}, {false, false}, {false, false}, {false, false}});
  traits.registers = 1;
  CHECK(staged() == Ends{{false, true}, {true, true}, {true, false}, {false, false}});
  traits.registers = 4096;  // the source's region, and no more
  CHECK(staged() == Ends{{false, false}, {true, true}, {true, false}, {false, false}});
  traits.memory = MemoryKind::kCuda;  // a's lies in the device
  CHECK(staged() == Ends{{false, false}, {false, false}, {true, false}, {false, false}});
  plan.stages[b].variant.resident = true;  // which reads host memory
  CHECK(staged() == Ends{{false, false}, {true, true}, {true, false}, {false, false}});
  traits.registers = 3 * 4096;
  CHECK(staged() == Ends{{false, false}, {false, false}, {false, false}, {false, false}});
  traits.registers = 0;  // as a machine file may say of a back-end that registers
  CHECK(staged() == Ends{{false, false}, {false, false}, {false, false}, {false, false}});
  plan.controllers[1].backend = "cuda";
  CHECK(staged() == Ends{{false, true}, {true, true}, {true, false}, {false, false}});
}

TEST_CASE("of an output in the device, what leaves it is staged and what stays is not") {
  Plan plan = fork_plan("copy", "cpu:0");  // a and b on cpu:0, c on cpu:1
  plan.controllers[1].traits = {.memory = MemoryKind::kCuda, .registers = 1};
  const Layout layout = make_layout(plan);
  const std::uint32_t a = plan.edges[1].from_stage;
  REQUIRE(layout.regions[static_cast<std::size_t>(layout.region_of[a][0])].is_copied());
  CHECK_FALSE(is_staged(plan, layout, 1, a));
  CHECK(is_staged(plan, layout, 2, a));
}

TEST_CASE("a relay stages nothing: it touches no payload") {
  Plan plan = need(rewrite(fork(), "rpc-hub"));
  plan.controllers[kHostController].traits.registers = 1;
  const Layout layout = make_layout(plan);
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
    for (const std::uint32_t end : {plan.edges[e].from_stage, plan.edges[e].to_stage})
      CHECK_FALSE(is_staged(plan, layout, e, end));
}

TEST_CASE("a relay touches nothing, and a device only what host memory holds for others") {
  PlanBuilder builder(1, 1);
  const auto a = builder.stage("a", "copy", "cpu:0"), b = builder.stage("b", "copy", "cpu:0");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(b, 0, kSinkStage, 0);
  Plan plan = builder.build();
  const auto touched_by = [](const Plan& of, std::size_t region) { return make_layout(of).regions[region].touched_by; };
  const Plan hub = need(rewrite(plan, "rpc-hub"));
  CHECK(touched_by(hub, 1) == std::vector<std::uint32_t>{1});  // the host passes it on
  CHECK(make_layout(hub).regions[1].consumers == std::vector<std::uint32_t>{0});
  plan.controllers[1].traits.memory = MemoryKind::kOpencl;
  CHECK(touched_by(plan, 1).empty());
  CHECK(touched_by(plan, 2) == std::vector<std::uint32_t>{1, 0});
  plan.edges.push_back(plan.edges.back());  // the sink reads a's output, too
  plan.edges.back().from_stage = a;
  plan.edges.back().to_port = 1;
  plan.stages[kSinkStage].inputs.push_back(plan.stages[kSinkStage].inputs[0]);
  CHECK(touched_by(plan, 1) == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("an output that stays with a controller lies in its device, unless a reader needs it in host memory") {
  const auto memory_of_a = [](const auto& change, bool elsewhere = false) {
    constexpr std::uint32_t a = 2, b = 3;
    Plan plan = chain_on({"cpu:0", elsewhere ? "cpu:1" : "cpu:0"}, "copy", 1000);
    for (std::size_t c = 1; c < plan.controllers.size(); ++c) plan.controllers[c].traits.memory = MemoryKind::kOpencl;
    change(plan, plan.stages[a], plan.stages[b]);
    const Layout layout = make_layout(plan);
    for (const RegionLayout& region : layout.regions) {
      CHECK(region.is_in_device() == (region.device_bytes != 0));
      if (region.stage != a) CHECK(!region.is_in_device());
    }
    return layout.regions[static_cast<std::size_t>(layout.region_of[a][0])];
  };
  const auto nothing = [](Plan&, StagePlan&, StagePlan&) {};
  const RegionLayout region = memory_of_a(nothing);
  CHECK(region.memory == MemoryKind::kOpencl);
  CHECK((region.block_bytes == kPayloadAlignment && region.device_bytes == 1024));
  CHECK(memory_of_a(nothing, true).memory == MemoryKind::kCpu);
  CHECK(memory_of_a([](Plan& plan, auto&, auto&) { plan.controllers[1].traits = {}; }).memory == MemoryKind::kCpu);
  CHECK(memory_of_a([](Plan&, auto&, StagePlan& b) { b.outputs[0].in_place = 0; }).memory == MemoryKind::kCpu);
  CHECK(memory_of_a([](Plan&, auto&, StagePlan& b) { b.inputs[0].gather = 4; }).memory == MemoryKind::kCpu);
  CHECK(memory_of_a([](Plan&, StagePlan& a, auto&) { a.outputs[0].many = 4; }).memory == MemoryKind::kCpu);
  CHECK(memory_of_a([](Plan&, StagePlan& a, auto&) { a.variant.resident = true; }).memory == MemoryKind::kCpu);
  CHECK(memory_of_a([](Plan&, auto&, StagePlan& b) { b.variant.resident = true; }).memory == MemoryKind::kCpu);
  const RegionLayout copied = memory_of_a([](Plan& plan, auto&, auto&) {  // the sink reads it, too
    plan.edges.back().from_stage = 2;
    plan.stages[3].outputs.clear();
  });
  CHECK((copied.memory == MemoryKind::kOpencl && copied.is_copied()));
  CHECK((copied.block_bytes == 1024 && copied.device_bytes == 1024));
  const auto variable = [](Plan&, StagePlan& a, StagePlan& b) {
    a.outputs[0].type = b.inputs[0].type = {"u8", {{"n", 0, 0}}, 100};
  };
  CHECK((memory_of_a(variable).block_bytes == kPayloadAlignment && memory_of_a(variable).device_bytes == 128));
}

TEST_CASE("a payload that another controller changes and that comes back does not stay in the device") {
  Plan plan = chain_on({"cpu:0", "cpu:1", "cpu:0"}, "copy", 1000);
  plan.controllers[1].traits.memory = MemoryKind::kOpencl;
  plan.stages[3].outputs[0].in_place = 0;  // b passes a's block on to c
  const Layout layout = make_layout(plan);
  REQUIRE(layout.passed_input[3][0] == 0);
  const RegionLayout& of_a = layout.regions[static_cast<std::size_t>(layout.region_of[2][0])];
  CHECK(of_a.memory == MemoryKind::kCpu);
}

TEST_CASE("a region takes the offsets of its blocks and no other, with and without header room") {
  for (const std::uint32_t room : {0U, kRoom}) {
    const RegionLayout region{0, 0, 0, 3, 128, {}, {}, room};
    REQUIRE(region.bytes() == 3 * (128 + room));
    const std::uint32_t in_front = room / 64, stride = 2 + in_front;
    const std::array blocks{in_front, in_front + stride, in_front + 2 * stride};
    for (std::uint32_t offset = 0; offset < 20; ++offset) {
      const bool block = std::find(blocks.begin(), blocks.end(), offset) != blocks.end();
      REQUIRE(takes(region, offset, 128) == block);
      REQUIRE_FALSE(takes(region, offset, 129));
    }
    REQUIRE_FALSE(takes(region, ~std::uint32_t{0}, 1));
  }
}

}  // namespace woa::test
