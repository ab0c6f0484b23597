#include "tests/integration/semantics/program_kernels.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/random_program.h"

namespace woa::test {
namespace {

std::vector<std::string> inputs_of(const Firing& firing) {
  std::vector<std::string> inputs;
  for (std::uint32_t p = 0; p < firing.inputs.size(); ++p) inputs.push_back(read(firing, p));
  return inputs;
}

// In the graph: a replica's name has a number behind it, a copy's its controller.
std::string name_of(const StagePlan& stage) { return stage.name.substr(0, stage.name.find_first_of("[@")); }

// Writes every output.
void all(Firing& firing, const StagePlan& stage) {
  for (std::uint32_t p = 0; p < firing.outputs.size(); ++p)
    write(firing, p, value_of(name_of(stage), p, inputs_of(firing)));
}

// Writes one of them.
void one(Firing& firing, const StagePlan& stage) {
  const std::vector<std::string> inputs = inputs_of(firing);
  const auto port = static_cast<std::uint32_t>(choice_of(name_of(stage), firing.outputs.size(), inputs));
  write(firing, port, value_of(name_of(stage), port, inputs));
}

void perhaps(Firing& firing, const StagePlan& stage) {
  if (choice_of(name_of(stage), 2, inputs_of(firing)) == 0) all(firing, stage);
}

// Writes from none to all elements.
void some(Firing& firing, const StagePlan& stage) {
  const std::vector<std::string> inputs = inputs_of(firing);
  const std::size_t count = choice_of(name_of(stage), stage.outputs[0].many + 1, inputs);
  for (std::uint32_t e = 0; e < count; ++e) write_element(firing, 0, value_of(name_of(stage), e, inputs));
}

void gather(Firing& firing, const StagePlan& stage) {
  std::vector<std::string> elements;
  for (std::size_t e = 0; e < firing.inputs[0].count; ++e) elements.push_back(read_element(firing, 0, e));
  write(firing, 0, value_of(name_of(stage), 0, elements));
}

}  // namespace

const Functions& program_kernels() {
  static const Functions kernels{{"copy", all},      {"split", all}, {"join2", all},   {"orelse", all},
                                 {"maybe", perhaps}, {"route", one}, {"step", one},    {"step2", one},
                                 {"triple", one},    {"cut", some},  {"paste", gather}};
  return kernels;
}

Functions stateful_program_kernels() {
  struct Tallies {
    std::mutex mutex;
    std::map<std::pair<std::string, std::uint64_t>, std::string> last;  // by stage of the plan and instance
  };
  Functions kernels = program_kernels();
  kernels["tally"] = [tallies = std::make_shared<Tallies>()](Firing& firing, const StagePlan& stage) {
    const std::lock_guard lock(tallies->mutex);
    std::string& last = tallies->last[{stage.name, firing.instance}];
    last = value_of(name_of(stage), 0, {read(firing, 0), last});
    write(firing, 0, last);
  };
  return kernels;
}

}  // namespace woa::test
