// Random graphs from the file to the outputs, in one process, under every call model: what comes out is what the graph
// means, whatever the model, the window and the order of events.
#include <map>

#include "tests/integration/semantics/graph_run.h"
#include "tests/integration/semantics/random_program.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kInstances = 12;

void check(const RandomProgram& program, const Outcome& outcome) {
  REQUIRE(outcome.status.ok());
  for (std::uint64_t i = 0; i < kInstances; ++i) {
    const std::optional<std::string> expected = program.expect(instance_number(i, 0));
    INFO("instance " << i);
    REQUIRE(outcome.outputs.contains(i) == expected.has_value());
    if (expected) REQUIRE(outcome.outputs.at(i)[0] == *expected);
    if (!expected) REQUIRE(outcome.failures.at(i).code == Code::kLoopLimit);
  }
}

template <class Made>
void check_graphs(std::uint32_t seed, int graphs, std::size_t most_stages) {
  std::mt19937 random(seed);
  int succeeded = 0;
  std::map<std::string_view, int> ran;
  for (int g = 0; g < graphs; ++g) {
    const RandomProgram program(random, 2 + random() % most_stages);
    Plan plan = compiled(program.text());
    REQUIRE(verify_liveness(plan).message() == "");
    plan.window = 1 + random() % 8;
    const bool tight = random() % 2 == 0;  // exactly what one instance needs
    for (EdgePlan& edge : plan.edges) edge.blocks = tight ? edge.min_blocks : std::max(edge.blocks, edge.min_blocks);
    INFO(program.text() << "window " << plan.window << (tight ? ", b(e) blocks" : ""));
    for (const std::string_view model : models_of(plan)) {
      INFO(model);
      ++ran[model];
      const Outcome outcome = run_as<Made>(plan, model, program_kernels(), kInstances);
      check(program, outcome);
      succeeded += static_cast<int>(outcome.outputs.size());
    }
  }
  CHECK(succeeded > graphs);  // else nearly all took too many turns, and nothing is shown
  CHECK((graphs < 100 || ran["rpc-nested"] > 0));
  CHECK(ran["rpc-polled"] > graphs / 10);
}

}  // namespace

TEST_CASE("a random graph gives what it means") { check_graphs<FunctionBackend>(1, 250, 9); }

TEST_CASE("a random graph gives what it means, with kernels that end in any order") {
  check_graphs<ThreadedBackend>(2, 40, 9);
}

}  // namespace woa::test
