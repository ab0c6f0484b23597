// Channels of exactly the certified size, kernels that take any time: no run stands still, and with a block less one
// does. WOA_LIVE_RUNS sets the number of random runs.
#include <chrono>
#include <thread>
#include <vector>

#include "tests/integration/semantics/number_in.h"
#include "tests/integration/semantics/program_run.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kHang_ns = 60'000'000'000;  // an instance that takes this long has come to a standstill

int runs() { return number_in("WOA_LIVE_RUNS", 150, 150); }

// Mostly at once, sometimes late.
void delay() {
  thread_local std::mt19937 random{std::random_device{}()};
  if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

Functions delayed(const Functions& functions) {
  Functions late;
  for (const auto& entry : functions) {
    late[entry.first] = [&function = entry.second](Firing& firing, const StagePlan& stage) {
      delay();
      function(firing, stage);
      delay();
    };
  }
  return late;
}

void give_only_what_is_live(CertifiedPlan& plan) {
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
}

// Counts to three.
const Functions& sure_kernels() {
  static const Functions kernels{
      {"step",
       [](Firing& f, const StagePlan&) {
         const int n = std::stoi(read(f, 0));
         write(f, n < 3 ? 0 : 1, std::to_string(n + 1));
       }},
  };
  return kernels;
}

Outcome run_one(CertifiedPlan plan, std::uint64_t timeout_ns) {
  plan.window = 1;
  plan.timeout_ns = timeout_ns;
  return run_as<FunctionBackend>(plan, "woa", sure_kernels(), 1);
}

}  // namespace

TEST_CASE("random graphs at exactly the live size end, whatever the delays") {
  std::mt19937 random(11);
  int succeeded = 0;
  const int all = runs();
  for (int r = 0; r < all; ++r) {
    const RandomProgram program(random, 2 + random() % 9, true);
    CertifiedPlan plan = compiled(program.text());
    REQUIRE(verify_liveness(plan).message() == "");
    plan.window = 1 + random() % 8;
    plan.timeout_ns = kHang_ns;
    give_only_what_is_live(plan);
    const std::vector<std::string_view> models = models_of(plan);
    const std::string_view model = models[random() % models.size()];
    INFO(program.text() << "window " << plan.window << ", " << model << ", run " << r);
    const Functions kernels = stateful_program_kernels(), late = delayed(kernels);
    const Outcome outcome = run_as<ThreadedBackend>(plan, model, late, kProgramInstances);
    check_program(program, outcome);
    succeeded += static_cast<int>(outcome.outputs.size());
  }
  CHECK(succeeded > all);  // else nearly all took too many turns, and nothing is shown
}

TEST_CASE("a stage that feeds itself runs with two blocks, and stands still with one") {
  CertifiedPlan plan = compiled(
      "woa: 1\ngraph: least\ninputs: {x: {type: bytes, max: 64}}\n"
      "stages: {s: {kernel: step, in: {x: [x, {from: s.again, loop: {max: 5}}]}}}\noutputs: {y: s.done}\n");
  give_only_what_is_live(plan);
  const Outcome enough = run_one(plan, kHang_ns);
  REQUIRE(enough.outputs.contains(0));
  CHECK(enough.outputs.at(0)[0] == "4");
  for (EdgePlan& edge : plan.edges) {
    if (edge.from_stage != edge.to_stage) continue;
    REQUIRE(edge.min_blocks == 2);
    edge.blocks = edge.min_blocks = 1;
  }
  CHECK(verify_liveness(plan).code() == Code::kInvalid);
  const Outcome blocked = run_one(plan, 300'000'000);  // nothing else would end it
  REQUIRE(blocked.failures.contains(0));
  CHECK(blocked.failures.at(0).code == Code::kDeadlineExceeded);
}

}  // namespace woa::test
