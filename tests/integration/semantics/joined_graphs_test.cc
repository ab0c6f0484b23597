// Random graphs, some of whose stages are on cards: joined or not, what comes out is what the graph means.
// WOA_RANDOM_GRAPHS sets how many graphs there are.
#include <algorithm>

#include "compiler/emit/on_card.h"
#include "runtime/plan/index.h"
#include "tests/integration/semantics/number_in.h"
#include "tests/integration/semantics/program_run.h"
#include "tests/support/joining_backend.h"

namespace woa::test {
namespace {

// A device that writes packets runs stages that take tokens, and write each output once, to all its readers.
bool may_be_on_card(const Plan& plan, const PlanIndex& index, std::size_t s) {
  const StagePlan& stage = plan.stages[s];
  const auto special = [](const OutputPortPlan& port) {
    return port.optional || port.one_of >= 0 || port.many != 0 || port.in_place >= 0;
  };
  const auto chooses = [&](const std::vector<std::uint32_t>& edges) {
    return std::ranges::any_of(edges, [&](std::uint32_t e) { return plan.edges[e].choice.replicas != 1; });
  };
  return stage.role == StageRole::kKernel && stage.stateful == Stateful::kNo &&
         std::ranges::none_of(stage.outputs, special) &&
         std::ranges::none_of(stage.inputs, [](const InputPortPlan& port) { return port.gather != 0; }) &&
         std::ranges::none_of(index.out_edges[s], chooses) &&
         std::ranges::all_of(index.out_counts[s], [](const auto& edges) { return edges.empty(); });
}

// Puts a stage that copies behind the stage's only output: graphs have few chains of their own.
void add_copy(Plan& plan, std::uint32_t s, const std::string& core) {
  const auto copy = static_cast<std::uint32_t>(plan.stages.size());
  StagePlan stage = plan.stages[s];
  stage.name = "copy" + std::to_string(copy);
  stage.kernel = "same";
  stage.variant.core = core;
  stage.inputs = {{.name = "in", .type = stage.outputs[0].type}};
  plan.stages.push_back(std::move(stage));
  EdgePlan link{s, 0, copy, 0, ~std::uint64_t{0}, 0, -1, 1, 1};
  for (EdgePlan& edge : plan.edges) {
    if (edge.from_stage != s) continue;
    edge.from_stage = copy;
    link.min_blocks = std::max(link.min_blocks, edge.min_blocks);
    link.blocks = std::max(link.blocks, edge.blocks);
  }
  plan.edges.push_back(link);
}

// Moves most such stages to one of two cards, and puts copies behind some.
Plan with_cards(Plan plan, std::mt19937& random) {
  const auto first = static_cast<std::uint32_t>(plan.controllers.size());
  for (const char* name : {"fpga:0", "fpga:1"})
    plan.controllers.push_back({name, ControllerKind::kFpga, "joining", 1, kJoiningTraits});
  for (StagePlan& stage : plan.stages)
    for (OutputPortPlan& port : stage.outputs) port.in_place = -1;
  const PlanIndex index(plan);
  for (std::size_t s = 0, all = plan.stages.size(); s < all; ++s) {
    StagePlan& stage = plan.stages[s];
    if (!may_be_on_card(plan, index, s) || random() % 8 == 0) continue;
    stage.controller = first + (random() % 8 == 0 ? 1 : 0);
    stage.headers = HeaderWriter::kDevice;
    const auto any_core = [&] { return "core " + std::to_string(random() % 8); };
    stage.variant.core = any_core();
    for (std::size_t copies = stage.outputs.size() == 1 ? random() % 3 : 0; copies > 0; --copies)
      add_copy(plan, static_cast<std::uint32_t>(s), any_core());
  }
  return plan;
}

Outcome run_on_cards(const Plan& plan, const Functions& kernels, JoiningScript& script) {
  LoopbackTransport transport;
  BackendRegistry backends;
  REQUIRE(backends.add(function_factory<FunctionBackend>(kernels)).ok());
  BackendFactory cards = joining_factory(kernels, script);
  cards.name = "joining";
  cards.kind = ControllerKind::kFpga;
  REQUIRE(backends.add(std::move(cards)).ok());
  RunOptions options;
  options.backends = &backends;
  options.transport = &transport;
  return run_plan(plan, options, kProgramInstances, instance_number);
}

}  // namespace

TEST_CASE("a random graph gives what it means, joined on cards or not") {
  std::mt19937 random(3);
  std::size_t joined = 0, long_chains = 0;
  Functions kernels = stateful_program_kernels();
  kernels["same"] = [](Firing& f, const StagePlan&) { write(f, 0, read(f, 0)); };
  const int graphs = number_in("WOA_RANDOM_GRAPHS", 250, 100);
  for (int g = 0; g < graphs; ++g) {
    const RandomProgram program(random, 2 + random() % 12, false);
    CertifiedPlan compiled_plan = compiled(program.text());
    compiled_plan.window = 1 + random() % 8;
    const bool tight = random() % 2 == 0;  // exactly what one instance needs
    for (EdgePlan& edge : compiled_plan.edges)
      edge.blocks = tight ? edge.min_blocks : std::max(edge.blocks, edge.min_blocks);
    const Plan plan = with_cards(compiled_plan, random);
    for (const bool join : {false, true}) {
      Plan run = plan;
      if (join) join_on_card(run);
      INFO(program.text() << "window " << run.window << (tight ? ", b(e) blocks" : "") << (join ? ", joined" : ""));
      JoiningScript script{.places = 1 + random() % 4, .answers = 1 + random() % 3};
      check_program(program, run_on_cards(run, kernels, script));
      if (!join) continue;
      joined += static_cast<std::size_t>(std::ranges::count_if(run.edges, &EdgePlan::on_card));
      const auto follows = [&](const EdgePlan& edge) {
        return edge.on_card && std::ranges::any_of(run.edges, [&](const EdgePlan& other) {
                 return other.on_card && other.from_stage == edge.to_stage;
               });
      };
      long_chains += static_cast<std::size_t>(std::ranges::count_if(run.edges, follows));
    }
  }
  CHECK(joined > static_cast<std::size_t>(graphs) / 4);  // else nothing is shown
  CHECK((graphs < 100 || long_chains > 0));
}

}  // namespace woa::test
