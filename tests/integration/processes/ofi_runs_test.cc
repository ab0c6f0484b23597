// Runs in several processes joined by ofi over loopback, where no memory is shared: the same results as over shm, and
// an end with the controller's name when a node dies or stops.
#include "tests/integration/processes/ofi_world.h"
#include "tests/support/branching.h"
#include "tests/support/loop_plans.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

void check_loss(const Plan& plan, std::size_t victim, int signal, const std::set<std::uint32_t>& apart = {0, 1, 2, 3}) {
  World world;
  world.options.apart = apart;
  check_loss(world, plan, victim, signal);
}

void check_loss(const char* model, std::size_t victim, int signal,
                const std::set<std::uint32_t>& apart = {0, 1, 2, 3}) {
  check_loss(as(chain_plan(3, "jitter"), model), victim, signal, apart);
}

std::set<std::uint32_t> all_of(const Plan& plan) {
  std::set<std::uint32_t> controllers;
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) controllers.insert(c);
  return controllers;
}

// The host's packets: it alone counts in this process.
std::uint64_t written(const World& world) { return world.wires.front()->packets(); }

}  // namespace

TEST_CASE("ofi: the same outputs and message counts as in one process") {
  World world;
  for (const auto& [model, per_instance] : {std::pair{"woa", 4U}, std::pair{"rpc-hub", 6U}}) {
    Plan plan = as(chain_plan(3, "append"), model);
    const Outcome outcome = run_plan(plan, world.options, 100, number);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == 100);
    for (const auto& [instance, outputs] : outcome.outputs) REQUIRE(outputs[0] == std::to_string(instance) + "abc");
    REQUIRE(outcome.messages() == 100 * per_instance);
    REQUIRE(children().empty());
  }
}

// Every wait is a sleep that lasts until somebody wakes its thread.
constexpr IdleOptions kSleepsOnly{.spin_ns = 0, .yields = 0, .sleep_ns = 20'000'000'000};

TEST_CASE("ofi: an instance of a chain takes its packets and few messages more") {
  constexpr std::uint64_t kInstances = 300, kOther = 60;  // of the start, the end, and keep-alives
  World world;
  world.options.idle = kSleepsOnly;
  Plan plan = chain_plan(2, "append");
  plan.window = 1;
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks + 7;
  const Outcome outcome = run_plan(plan, world.options, kInstances, number);
  REQUIRE(outcome.outputs.size() == kInstances);
  CHECK(outcome.report.packets[0] < 3 * kInstances + kOther);                 // nobody awaits retirement
  CHECK(world.wires.front()->counters().injected < kInstances / 3 + kOther);  // three blocks to a credit
  for (const ControllerReport& controller : outcome.report.controllers)
    CHECK(controller.stats.waits.sleeps < 2 * kInstances + kOther);
}

TEST_CASE("ofi: retirement reaches those that await it, and a loop its end, though all sleep until they are woken") {
  World world;
  world.options.idle = kSleepsOnly;
  REQUIRE(run_plan(fan_out(), world.options, 200, long_and_short).outputs.size() == 200);
  REQUIRE(run_plan(passing(), world.options, 200, long_and_short).outputs.size() == 200);
  REQUIRE(run_plan(loop(5, true), world.options, 50, [](std::uint64_t, std::uint32_t) {
            return std::string("3");
          }).outputs.size() == 50);
}

TEST_CASE("ofi: a host whose channels all take one wire sleeps on it, one that shares memory does not") {
  for (const bool alone : {true, false}) {
    World world;
    world.options.apart = alone ? std::set<std::uint32_t>{0, 1, 2} : std::set<std::uint32_t>{1};
    const auto run = need(Run::start(chain_plan(2, "append"), world.options, [](const Completion&) {}));
    DoorbellLine line;
    CHECK((world.wires.front()->make_sleeper(Doorbell(&line)) == nullptr) == alone);  // it has one to give
  }
}

TEST_CASE("ofi: payloads of every length reach all that read them, in either model") {
  World world;
  for (const char* model : {"woa", "rpc-hub"}) {
    const Outcome outcome = run_plan(as(fan_out(), model), world.options, 100, long_and_short);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == 100);
    for (const auto& [instance, outputs] : outcome.outputs) {
      const std::string in = long_and_short(instance, 0);
      REQUIRE(outputs[0] == in + "b+" + in + "c+" + in);
    }
  }
}

TEST_CASE("ofi: what kernels write over their inputs where memory is shared arrives changed here, too") {
  World world;
  for (const char* model : {"woa", "rpc-hub"}) {
    const Outcome outcome = run_plan(as(passing(), model), world.options, 100, long_and_short);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == 100);
    for (const auto& [instance, outputs] : outcome.outputs) REQUIRE(outputs[0] == long_and_short(instance, 0) + "abcd");
  }
}

TEST_CASE("ofi and shm in one run: whoever shares memory, the outputs and the message counts are the same") {
  for (const std::set<std::uint32_t>& apart : {std::set<std::uint32_t>{1}, {2}, {3}, {1, 3}}) {
    World world;
    world.options.apart = apart;
    for (const auto& [model, per_instance] : {std::pair{"woa", 4U}, std::pair{"rpc-hub", 6U}}) {
      const Outcome outcome = run_plan(as(chain_plan(3, "append"), model), world.options, 100, number);
      REQUIRE(outcome.status.ok());
      for (const auto& [instance, outputs] : outcome.outputs) REQUIRE(outputs[0] == std::to_string(instance) + "abc");
      REQUIRE(outcome.messages() == 100 * per_instance);
      const Outcome forked = run_plan(as(fan_out(), model), world.options, 100, long_and_short);
      REQUIRE(forked.status.ok());
      for (const auto& [instance, outputs] : forked.outputs) {
        const std::string in = long_and_short(instance, 0);
        REQUIRE(outputs[0] == in + "b+" + in + "c+" + in);
      }
      REQUIRE(outcome.outputs.size() + forked.outputs.size() == 200);
      REQUIRE(children().empty());
    }
  }
}

TEST_CASE("ofi: lanes between the same two controllers, in one run with shm, too") {
  const auto with_lanes = [](Plan plan) {
    for (std::size_t e = 0; e < plan.edges.size(); ++e) plan.edges[e].lane = std::to_string(e % 2);
    return plan;
  };
  for (const std::set<std::uint32_t>& apart : {std::set<std::uint32_t>{0, 1, 2, 3}, {1}}) {
    World world;
    world.options.apart = apart;
    for (const char* model : {"woa", "rpc-hub"}) {
      const Outcome outcome = run_plan(as(with_lanes(passing()), model), world.options, 100, long_and_short);
      REQUIRE(outcome.outputs.size() == 100);
      for (const auto& [instance, outputs] : outcome.outputs)
        REQUIRE(outputs[0] == long_and_short(instance, 0) + "abcd");
    }
  }
}

TEST_CASE("ofi: an output that comes to one controller by two lanes is refused with what to do") {
  World world;
  Plan plan = fan_out();
  plan.edges[1].lane = "bulk";  // of the two edges from a to cpu:1
  const auto run = Run::start(plan, world.options, [](const Completion&) {});
  INFO(run.status().message());
  REQUIRE(run.status().code() == Code::kUnsupported);
  REQUIRE(says(run.status(), "same lane"));
}

TEST_CASE("ofi: nested returns of an output take turns at one controller, calls in two lanes do not") {
  World world;
  const Plan chain = chain_on({"cpu:1", "cpu:2", "cpu:1", "cpu:2", "cpu:0"}, "append", 4096);
  const Outcome outcome = run_plan(as(chain, "rpc-nested"), world.options, 100, long_and_short);
  REQUIRE(outcome.outputs.size() == 100);
  for (const auto& [instance, outputs] : outcome.outputs) REQUIRE(outputs[0] == long_and_short(instance, 0) + "abcde");
  PlanBuilder builder(1, 2, 10'000);
  const auto p = builder.stage("p", "copy", "cpu:1"), a = builder.stage("a", "copy", "cpu:0"),
             b = builder.stage("b", "append", "cpu:1"), both = builder.stage("both", "join", "cpu:1", 2);
  builder.edge(kSourceStage, 0, p, 0);
  builder.edge(p, 0, a, 0);
  builder.edge(a, 0, b, 0).lane = "s";  // behind `return` in the order of lanes, by which `a` returns, too
  builder.edge(b, 0, both, 0);
  builder.edge(a, 0, both, 1).lane = "t";
  builder.edge(both, 0, kSinkStage, 0);
  builder.edge(a, 0, kSinkStage, 1);
  const auto run = Run::start(as(builder.build(), "rpc-nested"), world.options, [](const Completion&) {});
  INFO(run.status().message());
  REQUIRE(run.status().code() == Code::kUnsupported);
  REQUIRE(says(run.status(), "same lane"));
}

TEST_CASE("ofi and shm in one run: only what leaves a site goes by ofi") {
  World world;
  world.options.apart = {3};  // cpu:2, whose packets come from cpu:1 and go to the host
  Plan plan = chain_plan(3, "append");
  for (EdgePlan& edge : plan.edges) edge.inline_bytes = 0;  // a token of the host's is gathered, control is not
  REQUIRE(run_plan(as(plan, "woa"), world.options, 100, number).outputs.size() == 100);
  const OfiCounters forwarded = world.wires.front()->counters();
  REQUIRE(forwarded.arrived >= 100);
  REQUIRE(forwarded.gathered < 100);  // the host's to cpu:0 are not among them
  REQUIRE(run_plan(as(plan, "rpc-hub"), world.options, 100, number).outputs.size() == 100);
  REQUIRE(world.wires.front()->counters().gathered - forwarded.gathered >= 100);
}

TEST_CASE("ofi and shm in one run: what kernels write over their inputs on one side arrives changed on the other") {
  World world;
  for (const std::set<std::uint32_t>& apart : {std::set<std::uint32_t>{1}, {2}}) {
    world.options.apart = apart;
    for (const char* model : {"woa", "rpc-hub"}) {
      const Outcome outcome = run_plan(as(passing(), model), world.options, 100, long_and_short);
      REQUIRE(outcome.status.ok());
      REQUIRE(outcome.outputs.size() == 100);
      for (const auto& [instance, outputs] : outcome.outputs)
        REQUIRE(outputs[0] == long_and_short(instance, 0) + "abcd");
    }
  }
}

TEST_CASE("ofi: poison crosses processes with its message") {
  World world;
  Plan plan = chain_plan(3, "copy");
  plan.stages[3].kernel = "fail_3";
  for (const std::set<std::uint32_t>& apart : {std::set<std::uint32_t>{1, 2, 3}, {2}, {3}}) {
    world.options.apart = apart;
    const Outcome outcome =
        run_plan(plan, world.options, 20, [](std::uint64_t i, std::uint32_t) { return i == 7 ? "3" : "x"; });
    REQUIRE(outcome.outputs.size() == 19);
    REQUIRE(outcome.failures.at(7).stage == "b");
    REQUIRE(outcome.failures.at(7).message == "three is refused");
  }
}

TEST_CASE("ofi: a node that is killed ends the run and is named") {
  for (std::size_t victim = 0; victim < 3; ++victim) check_loss("woa", victim, SIGKILL);
  check_loss("rpc-hub", 1, SIGKILL);
}

TEST_CASE("ofi: a node that is stopped ends the run and is named") { check_loss("woa", 1, SIGSTOP); }

TEST_CASE("ofi and shm in one run: whoever is killed, at either side, ends the run and is named") {
  const std::size_t before = open_descriptors();
  for (std::size_t victim = 0; victim < 3; ++victim) {
    check_loss("woa", victim, SIGKILL, {2});
    check_loss("rpc-hub", victim, SIGKILL, {3});
  }
  REQUIRE(open_descriptors() == before);
}

TEST_CASE("ofi and shm in one run: loops go round between sites, and held tokens serve every turn") {
  for (const std::set<std::uint32_t>& apart : {std::set<std::uint32_t>{0, 1, 2}, {1}, {2}}) {
    World world;
    world.options.apart = apart;
    for (const char* model : {"woa", "rpc-hub"}) {
      const auto turns = [](std::uint64_t i, std::uint32_t) { return std::to_string(i % 20); };
      const Outcome looped = run_plan(as(loop(20, true), model), world.options, 40, turns);
      REQUIRE(looped.outputs.size() == 40);
      for (const auto& [instance, outputs] : looped.outputs)
        REQUIRE(outputs[0] == "tag" + std::to_string(instance % 20));
      const auto both = [](std::uint64_t i, std::uint32_t port) { return port == 0 ? "0" : std::to_string(i + 7); };
      const Outcome held = run_plan(as(held_in_loop(), model), world.options, 20, both);
      REQUIRE(held.outputs.size() == 20);
      for (const auto& [instance, outputs] : held.outputs) {
        const std::uint64_t add = instance + 7;
        REQUIRE(outputs[0] == std::to_string((100 + add - 1) / add * add));
      }
    }
  }
}

TEST_CASE("ofi and shm in one run: a node elsewhere that is stopped ends the run and is named") {
  check_loss("woa", 1, SIGSTOP, {2});
}

TEST_CASE("ofi: a tree brings every reader the same at as many messages, and its writer writes to its children only") {
  constexpr std::uint64_t kInstances = 100;
  for (const auto& [readers, children_of_host] : {std::pair{3U, 2U}, std::pair{4U, 3U}, std::pair{7U, 3U}}) {
    std::map<FanOut, Outcome> outcomes;
    std::map<FanOut, std::uint64_t> packets;
    for (const FanOut how : {FanOut::kFlat, FanOut::kTree}) {
      World world;
      const Plan plan = branching(readers, 3100);
      world.options.apart = all_of(plan);
      world.options.fan_out = how;
      outcomes[how] = run_plan(plan, world.options, kInstances, long_and_short);
      packets[how] = written(world);
    }
    const Outcome &flat = outcomes[FanOut::kFlat], &tree = outcomes[FanOut::kTree];
    REQUIRE(tree.outputs.size() == kInstances);
    for (const auto& [instance, outputs] : tree.outputs) {
      for (std::uint32_t k = 0; k < readers; ++k)
        REQUIRE(outputs[k] == long_and_short(instance, 0) + "s" + std::to_string(k));
    }
    REQUIRE(tree.outputs == flat.outputs);
    REQUIRE(tree.messages() == flat.messages());
    REQUIRE(flat.messages() == kInstances * readers * 2);
    // Beside tokens and control, both ends of each channel say when they close.
    const auto tokens = [&](FanOut how) { return packets[how] - outcomes[how].report.controllers[0].stats.control; };
    const std::uint64_t closing = 4 * (readers + 1);
    REQUIRE(tokens(FanOut::kFlat) >= kInstances * readers);
    REQUIRE(tokens(FanOut::kTree) >= kInstances * children_of_host);
    REQUIRE(tokens(FanOut::kTree) <= kInstances * children_of_host + closing);
    REQUIRE(children().empty());
  }
}

TEST_CASE("ofi and shm in one run: what comes to a site goes there once, and all there read the same") {
  World world;
  // The writer shares no memory with its four readers, who share it with each other and the host.
  PlanBuilder builder(1, 4, 100'000);
  const auto writer = builder.stage("w", "append", "cpu:0");
  builder.edge(kSourceStage, 0, writer, 0);
  for (std::uint32_t k = 0; k < 4; ++k) {
    const auto reader = builder.stage("s" + std::to_string(k), "append", "cpu:" + std::to_string(k + 1));
    builder.edge(writer, 0, reader, 0);
    builder.edge(reader, 0, kSinkStage, k);
  }
  world.options.apart = {1};
  const Outcome outcome = run_plan(builder.build(), world.options, 100, long_and_short);
  REQUIRE(outcome.outputs.size() == 100);
  for (const auto& [instance, outputs] : outcome.outputs) {
    for (std::uint32_t k = 0; k < 4; ++k) REQUIRE(outputs[k] == long_and_short(instance, 0) + "ws" + std::to_string(k));
  }
  REQUIRE(outcome.messages() == 900);
  const auto between = [&](const EdgePlan& edge) {
    const std::uint32_t from = outcome.plan.stages[edge.from_stage].controller;
    return from == 1 && outcome.plan.stages[edge.to_stage].controller != 1;
  };
  REQUIRE(std::ranges::count_if(outcome.plan.edges, between) == 1);
}

TEST_CASE("ofi: a node in the middle of a tree that is killed ends the run and is named") {
  Plan plan = branching(7, 100'000, "jitter");
  REQUIRE(fan_out_by_tree(plan, apart(plan, 64), FanOut::kAuto).stages.at(plan.stages.size()).controller == 1);
  check_loss(plan, 0, SIGKILL, all_of(plan));  // cpu:0
}

TEST_CASE("ofi: poison passes a tree between processes with its message") {
  World world;
  Plan plan = branching(7, 100'000);
  plan.stages[2 + 6].kernel = "fail_3";
  world.options.apart = all_of(plan);
  const Outcome outcome =
      run_plan(plan, world.options, 20, [](std::uint64_t i, std::uint32_t) { return i == 7 ? "3" : "x"; });
  REQUIRE(outcome.plan.stages.size() > plan.stages.size());
  REQUIRE(outcome.outputs.size() == 19);
  REQUIRE(outcome.failures.at(7).message == "three is refused");
}

TEST_CASE("ofi: a node that is killed while the others connect to it ends the start at once, and it alone is named") {
  World world;
  world.options.node_command = {WOA_TEST_NODE, "dies@tcp;ofi_rxm"};
  const std::uint64_t begin = now_ns();
  const auto run = Run::start(chain_plan(4, "copy"), world.options, [](const Completion&) {});
  INFO(run.status().message());
  REQUIRE(run.status().code() == Code::kPeerLost);
  REQUIRE(says(run.status(), "controller 'cpu:1': before it was ready its process was ended by signal 9"));
  REQUIRE(now_ns() - begin < 4'000'000'000);  // a peer that does not answer is waited for 10 s
  REQUIRE(children().empty());
}

TEST_CASE("ofi: controllers of one process are refused") {
  World world;
  world.options.node_command.clear();
  const auto run = Run::start(chain_plan(3, "copy"), world.options, [](const Completion&) {});
  REQUIRE(run.status().code() == Code::kUnsupported);
  REQUIRE(says(run.status(), "'ofi' joins processes"));
}

TEST_CASE("ofi: a program that is no node, or one that shares memory, is refused with the controller's name") {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"/bin/false"}, std::vector<std::string>{WOA_TEST_NODE}}) {
    World world;
    world.options.node_command = command;
    const auto run = Run::start(chain_plan(3, "copy"), world.options, [](const Completion&) {});
    REQUIRE(!run.ok());
    REQUIRE(says(run.status(), "controller 'cpu:"));
    REQUIRE(children().empty());
  }
}

}  // namespace woa::test
