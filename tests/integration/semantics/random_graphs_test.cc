// Random graphs from the file to the outputs, in one process, under every call model: what comes out is what the graph
// means, whatever the model, the window and the order of events. WOA_RANDOM_GRAPHS sets how many graphs there are.
#include <map>

#include "tests/integration/semantics/number_in.h"
#include "tests/integration/semantics/program_run.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

template <class Made>
void check_graphs(std::uint32_t seed, int graphs, std::size_t most_stages) {
  std::mt19937 random(seed);
  int succeeded = 0;
  std::map<std::string_view, int> ran;
  for (int g = 0; g < graphs; ++g) {
    const RandomProgram program(random, 2 + random() % most_stages, true);
    CertifiedPlan plan = compiled(program.text());
    REQUIRE(verify_liveness(plan).message() == "");
    plan.window = 1 + random() % 8;
    const bool tight = random() % 2 == 0;  // exactly what one instance needs
    for (EdgePlan& edge : plan.edges) edge.blocks = tight ? edge.min_blocks : std::max(edge.blocks, edge.min_blocks);
    INFO(program.text() << "window " << plan.window << (tight ? ", b(e) blocks" : ""));
    for (const std::string_view model : models_of(plan)) {
      INFO(model);
      ++ran[model];
      const Outcome outcome = run_as<Made>(plan, model, stateful_program_kernels(), kProgramInstances);
      check_program(program, outcome);
      succeeded += static_cast<int>(outcome.outputs.size());
    }
  }
  CHECK(succeeded > graphs);  // else nearly all took too many turns, and nothing is shown
  CHECK((graphs < 100 || ran["rpc-nested"] > 0));
  CHECK(ran["rpc-polled"] > graphs / 10);
}

}  // namespace

TEST_CASE("a random graph gives what it means") {
  check_graphs<FunctionBackend>(1, number_in("WOA_RANDOM_GRAPHS", 250, 100), 9);
}

TEST_CASE("a random graph gives what it means, with kernels that end in any order") {
  check_graphs<ThreadedBackend>(2, 40, 9);
}

}  // namespace woa::test
