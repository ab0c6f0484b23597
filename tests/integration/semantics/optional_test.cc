// Absent tokens are tokens: they turn loops, and are counted.
#include "tests/integration/semantics/graph_run.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kOptionalInstances = 6;

constexpr const char* kTurns =
    "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
    "  enter: {kernel: orelse, in: {in: [x, {from: find.out, loop: {max: 3}}]}}\n"
    "  turn: {kernel: route, in: {in: enter.out}}\n"
    "  find: {kernel: maybe, in: {in: turn.left}}\n"
    "outputs: {y: turn.right}\n";

// An instance leaves the loop after `leaves` turns, each begun by an absent token; 0: never.
template <class Made>
Outcome run_turns(std::string_view model, int leaves) {
  const Functions kernels{
      {"orelse", [](Firing& f, const StagePlan&) { write(f, 0, f.inputs[0].absent ? "none" : read(f, 0)); }},
      {"route",
       [leaves](Firing& f, const StagePlan&) {
         const bool left = leaves > 0 && read(f, 0) == "none" && (f.tag & 3U) == static_cast<unsigned>(leaves);
         write(f, left ? 1 : 0, read(f, 0));
       }},
      {"maybe", [](Firing&, const StagePlan&) {}}};
  return run_as<Made>(compiled(kTurns), model, kernels, kOptionalInstances);
}

}  // namespace

TEST_CASE("absent tokens turn a loop as often as its max, not oftener") {
  for (const std::string_view model : models_of(compiled(kTurns))) {
    INFO(model);
    const Outcome endless = run_turns<FunctionBackend>(model, 0);
    REQUIRE(endless.status.ok());
    CHECK(endless.outputs.empty());
    REQUIRE(endless.failures.size() == kOptionalInstances);
    for (const auto& [instance, failure] : endless.failures) CHECK(failure.code == Code::kLoopLimit);
    const Outcome ends = run_turns<ThreadedBackend>(model, 3);
    REQUIRE(ends.status.ok());
    REQUIRE(ends.outputs.size() == kOptionalInstances);
    for (const auto& [instance, outputs] : ends.outputs) CHECK(outputs[0] == "none");
  }
}

}  // namespace woa::test
