// Stages that choose among some of their outputs and always write others, under every call model.
#include "tests/integration/semantics/graph_run.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kSorted = 40;

// Which side, and a note of it that always comes.
const Functions kSort{
    {"sort",
     [](Firing& f, const StagePlan&) {
       const bool odd = std::stoi(read(f, 0)) % 2 != 0;
       write(f, 0, odd ? "odd" : "even");
       write(f, odd ? 1 : 2, read(f, 0));
     }},
    {"copy", [](Firing& f, const StagePlan& s) { write(f, 0, read(f, 0) + s.name); }},
    {"join2", [](Firing& f, const StagePlan&) { write(f, 0, read(f, 0) + "+" + read(f, 1)); }},
};

std::string sorted(const std::string& on) {
  return "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
         "  pick: {kernel: sort, in: {in: x}" +
         on +
         "}\n"
         "  l: {kernel: copy, in: {in: pick.left}}\n"
         "  r: {kernel: copy, in: {in: pick.right}}\n"
         "  both: {kernel: join2, in: {a: [l.out, r.out], b: pick.note}}\n"
         "outputs: {y: both.out, note: pick.note}\n";
}

}  // namespace

TEST_CASE("a stage that chooses, and always writes another output, runs under every model but nested") {
  for (const std::string on : {"", ", replicas: 3"}) {
    const Plan plan = compiled(sorted(on));
    const std::vector<std::string_view> models = models_of(plan);
    REQUIRE(models == std::vector<std::string_view>{"woa", "rpc-fused", "rpc-hub", "rpc-polled"});
    for (const std::string_view model : models) {
      INFO(model << on);
      const Outcome outcome = run_as<FunctionBackend>(plan, model, kSort, kSorted);
      REQUIRE(outcome.status.ok());
      REQUIRE(outcome.outputs.size() == kSorted);
      for (const auto& [i, outputs] : outcome.outputs) {
        const bool odd = i % 2 != 0;
        CHECK(outputs[0] == std::to_string(i) + (odd ? "l+odd" : "r+even"));
        CHECK(outputs[1] == (odd ? "odd" : "even"));
      }
    }
  }
}

}  // namespace woa::test
