// Kernels that keep state of an instance, in a scatter: they fire in the order of the elements, however these arrive.
//
// WOA_ORDERED_SEEDS sets in how many orders they arrive.
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "runtime/plan/index.h"
#include "tests/integration/semantics/driven_run.h"
#include "tests/integration/semantics/graph_run.h"
#include "tests/integration/semantics/number_in.h"
#include "tests/support/functions.h"
#include "tests/support/random_program.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kOrderedInstances = 40;

// a -> cut -> work -> tally -> paste -> s -> a: each turn scatters what the one before gathered.
std::string ordered_graph(const std::string& work = "", const std::string& tally = "") {
  return "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
         "  a: {kernel: copy, in: {in: [x, {from: s.again, loop: {max: 3, name: l}}]}, on: \"cpu:0\"}\n"
         "  c: {kernel: cut, in: {in: a.out}, on: \"cpu:0\"}\n"
         "  w: {kernel: work, in: {in: c.piece}, on: \"cpu:1\"" +
         work +
         "}\n"
         "  t: {kernel: tally, in: {in: w.out}, on: \"cpu:2\"" +
         tally +
         "}\n"
         "  p: {kernel: paste, in: {pieces: t.out}, on: \"cpu:0\"}\n"
         "  s: {kernel: step, in: {x: p.out}, on: \"cpu:0\"}\n"
         "outputs: {y: s.done}\n";
}

CertifiedPlan ordered_plan(const std::string& text) {
  std::string compilable = text;
  compilable.replace(compilable.find("kernel: work"), 12, "kernel: copy");
  CertifiedPlan plan = compiled(compilable);
  REQUIRE(verify_liveness(plan).message() == "");
  for (StagePlan& stage : plan.stages)
    if (stage.name.starts_with("w")) stage.kernel = "work";
  return plan;
}

std::uint64_t turns_of(std::uint64_t instance) { return instance % 4 + 1; }
std::uint64_t pieces_of(std::uint64_t instance, std::uint64_t turn) { return (instance + 3 * turn) % 5; }  // also none
std::string tallied(const std::string& piece, const std::string& last) { return value_of("t", 0, {piece, last}); }

// The expected output, computed without the runtime.
std::string tallied_by_hand(std::uint64_t instance) {
  std::string text = std::to_string(instance), last;
  for (std::uint64_t turn = 0; turn < turns_of(instance); ++turn) {
    std::string pasted;
    for (std::uint64_t e = 0; e < pieces_of(instance, turn); ++e) {
      last = tallied(text + "." + std::to_string(e), last);
      pasted += last + ";";
    }
    text = pasted;
  }
  return text;
}

// Records of the kernels of one run.
struct SeenByTally {
  std::mutex mutex;
  std::map<std::pair<std::string, std::uint64_t>, std::string> last;    // by stage of the plan and instance: the state
  std::map<std::uint64_t, std::vector<std::uint64_t>> tags;             // by instance: of the tally's firings
  std::map<std::pair<std::uint64_t, std::uint64_t>, char> latest_work;  // by instance and turn: the piece
  std::map<std::uint64_t, std::set<std::string>> replicas;              // by instance: of the tally
  int out_of_order = 0;                                                 // pieces that `work` ended before earlier ones
};

class TallyKernels {
 public:
  explicit TallyKernels(const Plan& plan) : plan_(plan), seen_(std::make_unique<SeenByTally>()) {
    all_ = functions();
    all_["cut"] = [this](Firing& f, const StagePlan&) {
      for (std::uint64_t e = 0; e < pieces_of(f.instance, turn(f)); ++e)
        write_element(f, 0, read(f, 0) + "." + std::to_string(e));
    };
    all_["work"] = [this](Firing& f, const StagePlan&) { work(f); };
    all_["tally"] = [this](Firing& f, const StagePlan& s) { tally(f, s); };
    all_["paste"] = [](Firing& f, const StagePlan&) {
      std::string text;
      for (std::size_t e = 0; e < f.inputs[0].count; ++e) text += read_element(f, 0, e) + ";";
      write(f, 0, text);
    };
    all_["step"] = [this](Firing& f, const StagePlan&) {
      write(f, turn(f) + 1 < turns_of(f.instance) ? 0 : 1, read(f, 0));
    };
  }
  Functions& all() noexcept { return all_; }
  SeenByTally& seen() noexcept { return *seen_; }

 private:
  [[nodiscard]] std::uint64_t turn(const Firing& f) const {
    return plan_.loops.empty() ? 0 : f.tag >> plan_.loops[0].shift;
  }
  void work(Firing& f) {
    const std::string piece = read(f, 0);
    write(f, 0, piece);
    const std::lock_guard lock(seen_->mutex);
    char& latest = seen_->latest_work[{f.instance, turn(f)}];
    if (latest > piece.back()) ++seen_->out_of_order;
    latest = std::max(latest, piece.back());
  }
  void tally(Firing& f, const StagePlan& s) {
    const std::lock_guard lock(seen_->mutex);
    std::string& last = seen_->last[{s.name, f.instance}];
    last = tallied(read(f, 0), last);
    write(f, 0, last);
    seen_->tags[f.instance].push_back(f.tag);
    seen_->replicas[f.instance].insert(s.name);
  }

  const Plan& plan_;
  std::unique_ptr<SeenByTally> seen_;
  Functions all_;
};

void check_tags(const SeenByTally& seen) {
  for (const auto& [instance, tags] : seen.tags)
    REQUIRE(std::ranges::adjacent_find(tags, std::greater_equal<>()) == tags.end());
}

Plan called_by(const Plan& plan, std::string_view model) {
  auto calls = rewrite(plan, model);
  REQUIRE(calls.ok());
  return std::move(*calls);
}

constexpr std::string_view kScatterModels[] = {"woa", "rpc-hub", "rpc-fused", "rpc-polled"};

// Each of these models on each way.
struct ScatterCall {
  std::string_view model;
  Way way;
};
const std::vector<ScatterCall> kScatterCalls = [] {
  std::vector<ScatterCall> calls;
  for (const std::string_view model : kScatterModels)
    for (const Way way : kWays) calls.push_back({model, way});
  return calls;
}();

TEST_CASE("state of an instance sees the elements of a scatter in order, turn by turn, however they come") {
  const auto seeds = static_cast<std::uint32_t>(number_in("WOA_ORDERED_SEEDS", 30, 8));
  for (const auto& [work, tally] : {std::pair{"", ""}, {", replicas: 3", ""}, {", replicas: 2", ", replicas: 3"}}) {
    const CertifiedPlan plan = ordered_plan(ordered_graph(work, tally));
    for (const auto& [model, way] : kScatterCalls) {
      std::uint32_t out_of_order = 0;
      for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        INFO(model << ", " << name_of(way) << ", seed " << seed << work << tally);
        CertifiedPlan one = plan;
        one.window = 1 + seed % 8;
        for (EdgePlan& edge : one.edges) edge.blocks = seed % 2 == 0 ? edge.min_blocks : edge.blocks;
        TallyKernels kernels(one);
        const Driven driven = drive(called_by(one, model), kernels.all(), kOrderedInstances, seed, way);
        REQUIRE(driven.status.message() == "");
        REQUIRE_FALSE(driven.stands_still);
        REQUIRE(driven.outputs.size() == kOrderedInstances);
        for (const auto& [i, outputs] : driven.outputs) REQUIRE(outputs[0] == tallied_by_hand(i));
        check_tags(kernels.seen());
        out_of_order += kernels.seen().out_of_order;
      }
      CHECK((out_of_order * 30 > 100 * seeds) == kernels_run_in_any_order());  // else nothing is shown
    }
  }
}

TEST_CASE("so it is with kernels on threads") {
  const CertifiedPlan plan = ordered_plan(ordered_graph(", replicas: 2", ", replicas: 2"));
  REQUIRE(models_of(plan).size() == std::size(kScatterModels));
  for (const std::string_view model : kScatterModels) {
    TallyKernels kernels(plan);
    const Function noted = kernels.all().at("work"), late = functions().at("jitter");
    kernels.all()["work"] = [&](Firing& f, const StagePlan& s) { late(f, s), noted(f, s); };
    const Outcome outcome = run_as<ThreadedBackend>(plan, model, kernels.all(), kOrderedInstances);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == kOrderedInstances);
    for (const auto& [i, outputs] : outcome.outputs) REQUIRE(outputs[0] == tallied_by_hand(i));
    check_tags(kernels.seen());
  }
}

TEST_CASE("in a scatter, too, the instance chooses the replica that keeps state of it") {
  const CertifiedPlan plan = ordered_plan(ordered_graph(", replicas: 2", ", replicas: 3"));
  for (const auto& [model, way] : kScatterCalls) {
    TallyKernels kernels(plan);
    const Driven driven = drive(called_by(plan, model), kernels.all(), kOrderedInstances, 1, way);
    REQUIRE(driven.outputs.size() == kOrderedInstances);
    REQUIRE_FALSE(kernels.seen().replicas.empty());
    for (const auto& [i, names] : kernels.seen().replicas)
      REQUIRE(names == std::set<std::string>{"t[" + std::to_string(i % 3) + "]"});
  }
}

TEST_CASE("a plan and its relays tell where the numbers of elements are in the tag") {
  const CertifiedPlan plan = compiled(
      "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
      "  a: {kernel: copy, in: {in: [x, {from: s.again, loop: {max: 3, name: l}}]}, on: \"cpu:0\"}\n"
      "  c: {kernel: cut, in: {in: a.out}, on: \"cpu:0\"}\n"
      "  w: {kernel: copy, in: {in: c.piece}, on: \"cpu:1\", replicas: 2}\n"
      "  e: {kernel: cut, in: {in: w.out}, on: \"cpu:2\"}\n"
      "  v: {kernel: join2, in: {a: e.piece, b: {from: w.out, hold: true}}, on: \"cpu:1\"}\n"
      "  q: {kernel: paste, in: {pieces: v.out}, on: \"cpu:0\"}\n"
      "  p: {kernel: paste, in: {pieces: q.out}, on: \"cpu:1\"}\n"
      "  s: {kernel: step, in: {x: p.out}, on: \"cpu:0\"}\n"
      "outputs: {y: s.done}\n");
  const auto number_of = [&](const std::string& cut) {
    const auto stage = std::ranges::find(plan.stages, cut, &StagePlan::name);
    const OutputPortPlan& port = stage->outputs.at(0);
    return ((std::uint64_t{1} << port.index_bits) - 1) << port.index_shift;
  };
  const std::uint64_t outer = number_of("c"), inner = number_of("e");
  REQUIRE((outer != 0 && inner != 0 && (outer & inner) == 0));
  const std::map<std::string, std::uint64_t> numbers{{"source", 0},   {"a", 0},     {"c", 0},     {"w[0]", outer},
                                                     {"w[1]", outer}, {"e", outer}, {"v", inner}, {"q", outer},
                                                     {"p", 0},        {"s", 0},     {"sink", 0}};
  for (const std::string_view model : kScatterModels) {
    const Plan calls = called_by(plan, model);
    const std::vector<std::uint64_t> found = element_numbers(calls);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      INFO(model << ", " << calls.stages[s].name);
      CHECK(found[s] == numbers.at(calls.stages[s].name));
    }
  }
}

TEST_CASE("an element that waits for one that fails goes with its instance") {
  const CertifiedPlan plan = ordered_plan(ordered_graph());
  for (const auto& [model, way] : kScatterCalls) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      TallyKernels kernels(plan);
      const Function work = kernels.all().at("work");
      kernels.all()["work"] = [&](Firing& f, const StagePlan& s) {
        work(f, s);
        if (read(f, 0) != "13.1") return;
        f.code = Code::kKernelFailed;
        f.message = "13.1 is refused";
      };
      const Driven driven = drive(called_by(plan, model), kernels.all(), kOrderedInstances, seed, way);
      REQUIRE(driven.status.message() == "");
      REQUIRE_FALSE(driven.stands_still);
      REQUIRE(driven.failures == std::map<std::uint64_t, Code>{{13, Code::kKernelFailed}});
      for (const auto& [i, outputs] : driven.outputs) REQUIRE(outputs[0] == tallied_by_hand(i));
    }
  }
}

// When the held token comes, all elements that arrived are complete at once, in no order.
TEST_CASE("elements that wait for a held token go on in their order") {
  CertifiedPlan plan = ordered_plan(
      "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
      "  c: {kernel: cut, in: {in: x}, on: \"cpu:0\"}\n"
      "  h: {kernel: copy, in: {in: x}, on: \"cpu:3\"}\n"
      "  w: {kernel: work, in: {in: c.piece}, on: \"cpu:1\"}\n"
      "  t: {kernel: join2, in: {a: w.out, b: {from: h.out, hold: true}}, on: \"cpu:2\"}\n"
      "  p: {kernel: paste, in: {pieces: t.out}, on: \"cpu:0\"}\n"
      "outputs: {y: p.out, z: h.out}\n");
  for (StagePlan& stage : plan.stages)
    if (stage.name == "t") stage.stateful = Stateful::kInstance;
  for (const auto& [model, way] : kScatterCalls) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      TallyKernels kernels(plan);
      kernels.all()["join2"] = kernels.all().at("tally");
      const Driven driven = drive(called_by(plan, model), kernels.all(), kOrderedInstances, seed, way);
      REQUIRE(driven.status.message() == "");
      REQUIRE(driven.outputs.size() == kOrderedInstances);
      for (const auto& [i, outputs] : driven.outputs) {
        std::string last, text;
        for (std::uint64_t e = 0; e < pieces_of(i, 0); ++e)
          text += (last = tallied(std::to_string(i) + "." + std::to_string(e), last)) + ";";
        REQUIRE(outputs[0] == text);
      }
      check_tags(kernels.seen());
    }
  }
}

}  // namespace
}  // namespace woa::test
