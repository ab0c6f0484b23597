// Runs whose lanes take wires of their own: two providers at once, beside shared memory or without it.
#include "tests/integration/processes/ofi_world.h"
#include "tests/support/branching.h"

namespace woa::test {
namespace {

using Apart = std::set<std::uint32_t>;

constexpr std::uint64_t kInstances = 100;
const Apart kTogether{}, kOneApart{1}, kAllApart{0, 1, 2, 3};

// tcp is wire 0, which unbound lanes take between sites; udp is wire 1.
struct TwoWires : World {
  TwoWires(const BoundLanes& lanes, const Apart& apart) : World({"tcp;ofi_rxm", "udp;ofi_rxd"}) {
    options.lanes = lanes;
    options.apart = apart;
  }
};

// Edge e of the plan gets the lane number e modulo `lanes`.
Plan in_lanes(Plan plan, std::size_t lanes) {
  for (std::size_t e = 0; e < plan.edges.size(); ++e) plan.edges[e].lane = std::to_string(e % lanes);
  return plan;
}

// Checks that each wire carried as many packets as its edges had messages. Besides, each process greets each other one
// at most once, and wire 0 carries the host's news of instances.
void check_packets(const Outcome& outcome, const RunOptions& options) {
  Sites sites{{}, 64, options.lanes};
  for (std::uint32_t c = 0; c < outcome.plan.controllers.size(); ++c)
    sites.of.push_back(options.apart.contains(c) ? c : kHostController);
  const Layout layout = make_layout(outcome.plan, sites);
  std::vector<std::uint64_t> tokens(2);
  for (std::size_t e = 0; e < layout.edges.size(); ++e) {
    if (layout.edges[e].wire) tokens[*layout.edges[e].wire] += outcome.report.edges[e].messages;
  }
  const std::size_t processes = outcome.plan.controllers.size(), greetings = processes * (processes - 1);
  const std::uint64_t news = outcome.report.controllers[kHostController].stats.control;
  REQUIRE(outcome.report.packets.size() == 2);
  for (const std::size_t wire : {0, 1}) {
    INFO("wire " << wire << ": " << outcome.report.packets[wire] << " packets of " << tokens[wire] << " tokens");
    REQUIRE(outcome.report.packets[wire] >= tokens[wire]);
    REQUIRE(outcome.report.packets[wire] <= tokens[wire] + greetings + (wire == 0 ? news : 0));
  }
}

Code refusal(const World& world, const Plan& plan, const char* text) {
  const auto run = Run::start(plan, world.options, [](const Completion&) {});
  INFO(run.status().message());
  REQUIRE(says(run.status(), text));
  REQUIRE(children().empty());
  return run.status().code();
}

}  // namespace

TEST_CASE(
    "lanes on two providers and in shared memory: the outputs are the same, and each provider has its lane's packets") {
  for (const Apart& apart : {kTogether, kOneApart, kAllApart}) {
    for (const BoundLanes& lanes : {BoundLanes{{"0", 1}}, BoundLanes{{"0", 0}, {"1", 1}}, BoundLanes{{"1", 0}}}) {
      const TwoWires world(lanes, apart);
      for (const char* model : {"woa", "rpc-hub"}) {
        const Outcome outcome = run_plan(as(in_lanes(passing(), 2), model), world.options, kInstances, long_and_short);
        REQUIRE(outcome.outputs.size() == kInstances);
        for (const auto& [instance, outputs] : outcome.outputs)
          REQUIRE(outputs[0] == long_and_short(instance, 0) + "abcd");
        check_packets(outcome, world.options);
        REQUIRE(children().empty());
      }
    }
  }
}

TEST_CASE("an output that goes out over two providers and in shared memory comes to all its readers") {
  Plan plan = branching(3, 3100);
  for (EdgePlan& edge : plan.edges) {
    const std::uint32_t reader = plan.stages[edge.to_stage].controller;
    if (reader != kHostController) edge.lane = std::vector<std::string>{"", "tcp", "udp", ""}[reader];
  }
  for (const Apart& apart : {kTogether, kAllApart}) {
    for (const FanOut fan_out : {FanOut::kFlat, FanOut::kTree}) {  // in a tree, one passes on what another brought
      TwoWires world({{"tcp", 0}, {"udp", 1}}, apart);
      world.options.fan_out = fan_out;
      const Outcome outcome = run_plan(plan, world.options, kInstances, long_and_short);
      REQUIRE(outcome.outputs.size() == kInstances);
      for (const auto& [instance, outputs] : outcome.outputs) {
        for (std::uint32_t k = 0; k < 3; ++k)
          REQUIRE(outputs[k] == long_and_short(instance, 0) + "s" + std::to_string(k));
      }
      REQUIRE(outcome.messages() == kInstances * 6);
      check_packets(outcome, world.options);
    }
  }
}

TEST_CASE("a node that is killed ends a run on two providers and is named, whichever lane it sends by") {
  const std::size_t before = open_descriptors();
  for (const Apart& apart : {kTogether, kAllApart}) {
    for (std::size_t victim = 0; victim < 3; ++victim) {
      TwoWires world({{"0", 0}, {"1", 1}}, apart);
      check_loss(world, in_lanes(chain_plan(3, "jitter"), 2), victim, SIGKILL);
    }
  }
  REQUIRE(open_descriptors() == before);
}

TEST_CASE("a node that is stopped ends a run in shared memory if one of its lanes has a provider") {
  TwoWires world({{"1", 1}}, kTogether);
  check_loss(world, in_lanes(chain_plan(3, "jitter"), 2), 1, SIGSTOP);
}

TEST_CASE("lanes that cannot be bound are refused with what there is, or what to do") {
  const Plan plan = in_lanes(chain_plan(3, "copy"), 2);
  REQUIRE(refusal(TwoWires({{"bulk", 1}}, kTogether), plan, "names lane 'bulk'; there are: '0', '1'") ==
          Code::kInvalid);
  REQUIRE(refusal(TwoWires({{"0", 2}}, kTogether), plan, "lane '0' is bound to wire 2, of 2") == Code::kInvalid);
  Plan twice = fan_out();
  twice.edges[1].lane = "0";  // of the two edges from a to cpu:1
  REQUIRE(refusal(TwoWires({{"0", 0}}, kTogether), twice, "same lane") == Code::kUnsupported);
  twice.edges[6].lane = "1";
  REQUIRE(refusal(TwoWires({{"0", 0}, {"1", 1}}, kTogether), twice, "same lane") == Code::kUnsupported);
  TwoWires world({{"1", 1}}, kTogether);
  world.options.node_command.pop_back();
  REQUIRE(refusal(world, plan, "takes 2 providers and this node has 1") == Code::kInvalid);
}

}  // namespace woa::test
