#include "tests/integration/semantics/small_run.h"

#include <algorithm>

#include "tests/support/random_program.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kFewest = 5, kMost = 36, kWithLoops = 12;
constexpr char kFunction[] = "small";

int choices_of(const SmallStage& stage) { return stage.scatters ? 3 : stage.leaves_out ? 2 : stage.outputs; }

}  // namespace

SmallRun::SmallRun(const SmallGraph& graph) : graph_(graph) {
  for (const SmallStage& stage : graph.stages) {
    radix_.push_back(instances_);
    instances_ *= static_cast<std::uint64_t>(choices_of(stage));
  }
  loops_ = std::any_of(graph.edges.begin(), graph.edges.end(), [](const SmallEdge& e) { return e.loop >= 0; });
  instances_ = std::clamp(instances_, loops_ ? kWithLoops : kFewest, kMost);
  functions_[kFunction] = [this](Firing& firing, const StagePlan& stage) {
    fire(firing, std::stoi(stage.name.substr(1)));
  };
}

// A digit of the instance's number; in loops the inputs count, too, so that turns differ.
int SmallRun::choose(std::uint64_t instance, int stage, int choices, const std::vector<std::string>& inputs) const {
  std::uint64_t digit = instance / radix_[static_cast<std::size_t>(stage)];
  if (loops_) digit += choice_of("s" + std::to_string(stage), 12, inputs);
  return static_cast<int>(digit % static_cast<std::uint64_t>(choices));
}

Meaning SmallRun::meaning(std::uint64_t instance) const {
  return interpret(graph_, std::to_string(instance),
                   [&](int stage, int choices, const std::vector<std::string>& inputs) {
                     return choose(instance, stage, choices, inputs);
                   });
}

void SmallRun::fire(Firing& firing, int s) const {
  const SmallStage& stage = graph_.stages[static_cast<std::size_t>(s)];
  std::vector<std::string> inputs;
  for (const woa_input& input : firing.inputs) {
    if (!stage.gathers) inputs.push_back(text_of(input));
    for (std::uint32_t e = 0; e < input.count; ++e) inputs.push_back(text_of(input.elements[e]));
  }
  const int choices = choices_of(stage);
  const int chosen = choices == 1 ? 0 : choose(firing.instance, s, choices, inputs);
  if (stage.scatters) {
    for (int element = 0; element < chosen; ++element) write_element(firing, 0, small_value(s, element, inputs));
  } else if (!stage.leaves_out || chosen == 0) {
    const int out = stage.outputs > 1 ? chosen : 0;
    write(firing, static_cast<std::uint32_t>(out), small_value(s, out, inputs));
  }
}

CertifiedPlan SmallRun::prepared(CertifiedPlan plan, std::uint32_t window, bool tight) const {
  plan.window = window;
  for (StagePlan& stage : plan.stages) {
    if (stage.role != StageRole::kKernel) continue;
    stage.library.clear();
    stage.kernel = kFunction;
  }
  for (EdgePlan& edge : plan.edges) {
    if (tight) edge.blocks = edge.min_blocks;
  }
  return plan;
}

std::string SmallRun::difference(const Driven& driven) const {
  if (!driven.status.ok()) return "it failed: " + driven.status.message();
  if (driven.stands_still) return "it stands still";
  for (std::uint64_t i = 0; i < instances_; ++i) {
    const Meaning expected = meaning(i);
    const std::string here = "instance " + std::to_string(i) + ": ";
    if (is_wrong(expected.course)) return here + "the reference says " + name_of(expected.course);
    const auto failure = driven.failures.find(i);
    if (expected.course == Course::kTooManyTurns) {
      if (failure == driven.failures.end() || failure->second != Code::kLoopLimit) return here + "no failure of a loop";
      continue;
    }
    if (failure != driven.failures.end()) return here + "it failed with " + std::string(to_string(failure->second));
    if (driven.outputs.at(i) != expected.outputs) return here + "another output";
  }
  return {};
}

}  // namespace woa::test
