// Every small graph (enumerate.h), from the file to the outputs: the compiler accepts it if every choice in it gives a
// right course (reference.h), and then every placement on two controllers gives the reference's outputs, under every
// call model and with any delays. The two are of two kinds where a kernel may be on both; the kinds are stand-ins that
// run the same functions, one at once, the other late (driven_run.h).
//
// WOA_SMALL_GRAPHS=all takes the larger classes, too, and few leaves out all but the smallest
// (tests/integration/semantics/README.md).
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/certificate/live_blocks.h"
#include "runtime/call_models/call_model.h"
#include "tests/integration/semantics/enumerate.h"
#include "tests/integration/semantics/number_in.h"
#include "tests/integration/semantics/small_run.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kManyWays = 100;  // instances enough for one to reach any edge

// Codes that may refuse a graph with loops though it is right: it would need loops with cycles of their own (E0403)
// that are entered alike (E0405), or a branch leads into a loop that goes on until it fails (E0408, E0410, E0412).
const std::set<std::string> kTooStrict{"E0403", "E0405", "E0408", "E0410", "E0412"};

// Results of the graphs of one class.
struct Tally {
  int shapes = 0, graphs = 0, accepted = 0, right = 0, runs = 0, not_offered = 0;
  int edges = 0, least = 0, blocked = 0;  // all; with all blocks necessary; shown to stall with one less
  std::uint64_t instances = 0;
  std::map<std::pair<std::string, std::string>, int> refused;  // by code, and what is wrong
  std::map<std::string, std::string> examples;                 // by code, of those that are right
};

void print(const std::string& name, const Tally& tally) {
  std::printf("%s: %d shapes, %d graphs, %d right, %d accepted; %d runs of %llu instances, %d calls not offered\n",
              name.c_str(), tally.shapes, tally.graphs, tally.right, tally.accepted, tally.runs,
              static_cast<unsigned long long>(tally.instances), tally.not_offered);
  std::printf("    %d edges, %d with the least blocks possible, %d of more than one of which one less stands still\n",
              tally.edges, tally.least, tally.blocked);
  for (const auto& [what, count] : tally.refused)
    std::printf("    %s: %d that are %s\n", what.first.c_str(), count, what.second.c_str());
  for (const auto& [code, text] : tally.examples) std::printf("  refused with %s:\n%s", code.c_str(), text.c_str());
}

class SmallGraphs {
 public:
  SmallGraphs() { describe_small_kernels(kernels_); }

  Tally check(const std::string& name, const Enumeration& what) {
    tally_ = {};
    tally_.shapes = enumerate(what, [&](const SmallGraph& graph) { one(graph); });
    print(name, tally_);
    return tally_;
  }

 private:
  // `elsewhere`: by stage, whether it goes to the second controller, a gpu if all kernels run there.
  [[nodiscard]] Compilation compile(const SmallGraph& graph, const std::string& text, unsigned elsewhere) const {
    CompileOptions options;
    options.kernel_path = {kernels_.path()};
    const char* const second = std::ranges::any_of(graph.stages, &SmallStage::one_kind) ? "cpu:1" : "gpu:0";
    for (std::size_t s = 0; s < graph.stages.size(); ++s) {
      options.pins["s" + std::to_string(s)] = (elsewhere >> s & 1U) != 0 ? second : "cpu:0";
    }
    return compile_text(text, "graph.yaml", "", options);
  }

  void one(const SmallGraph& graph) {
    ++tally_.graphs;
    const std::string text = graph.text();
    const Course course = worst_course(graph);
    tally_.right += course == Course::kRight ? 1 : 0;
    const Compilation compiled = compile(graph, text, 0);
    if (!compiled.plan) {
      const Diagnostic& said = compiled.diagnostics.at(0);
      ++tally_.refused[{said.code, name_of(course)}];
      if (course == Course::kRight) tally_.examples.emplace(said.code, text + format(said, false));
      return;
    }
    ++tally_.accepted;
    INFO(text);
    REQUIRE(std::string(name_of(course)) == "right");
    REQUIRE(verify_liveness(*compiled.plan).message() == "");
    const SmallRun run(graph);
    take_a_block(run, run.prepared(*compiled.plan, 1, true));
    place(graph, run, text);
  }

  // Takes a block from each edge whose `live` blocks are all necessary: some course must then stand still. Edges with
  // one block are only counted.
  void take_a_block(const SmallRun& run, CertifiedPlan plan) {
    for (std::size_t e = 0; e < plan.edges.size(); ++e) {
      EdgePlan& edge = plan.edges[e];
      ++tally_.edges;
      if (necessary_blocks(plan, edge) != edge.min_blocks) continue;
      ++tally_.least;
      if (edge.min_blocks == 1) continue;
      edge.blocks = --edge.min_blocks;
      INFO("edge from " << plan.stages[edge.from_stage].name << " to " << plan.stages[edge.to_stage].name);
      for (const Way way : kWays) {
        INFO(name_of(way));
        REQUIRE(stands_still(run, plan, way));
      }
      ++tally_.blocked;
      edge.blocks = ++edge.min_blocks;
    }
  }

  static bool stands_still(const SmallRun& run, const Plan& plan, Way way) {
    for (std::uint32_t seed = 0; seed < 20; ++seed)
      if (drive(plan, run.functions(), kManyWays, seed, way).stands_still) return true;
    return false;
  }

  void place(const SmallGraph& graph, const SmallRun& run, const std::string& text) {
    for (unsigned elsewhere = 0; elsewhere < 1U << graph.sink(); ++elsewhere) {
      const Compilation compiled = compile(graph, text, elsewhere);
      REQUIRE(compiled.plan.has_value());
      const bool tight = random_() % 2 == 0;
      const auto window = static_cast<std::uint32_t>(1 + random_() % 4);
      const CertifiedPlan plan = run.prepared(*compiled.plan, window, tight);
      for (const std::string_view model : kCallModels) call(run, plan, model);
    }
  }

  void call(const SmallRun& run, const CertifiedPlan& plan, std::string_view model) {
    const auto calls = rewrite(plan, model);
    INFO(model << ": " << calls.status().message());
    if (calls.status().code() == Code::kUnsupported) return void(++tally_.not_offered);
    REQUIRE(calls.ok());
    const auto seed = static_cast<std::uint32_t>(random_());
    for (const Way way : kWays) {
      const std::string difference = run.difference(drive(*calls, run.functions(), run.instances(), seed, way));
      ++tally_.runs;
      tally_.instances += run.instances();
      if (difference.empty()) continue;
      INFO("window " << plan.window << ", seed " << seed << ", " << name_of(way));
      FAIL(difference);
    }
  }

  KernelFolder kernels_;
  std::mt19937 random_{1};
  Tally tally_;
};

// How many classes of graphs.
enum class Extent { kFew, kUsual, kAll };

Extent extent() {
  const char* const wanted = std::getenv("WOA_SMALL_GRAPHS");
  if (wanted == nullptr) return small_sizes() ? Extent::kFew : Extent::kUsual;
  const std::string_view named(wanted);
  REQUIRE((named == "few" || named == "all"));
  return named == "few" ? Extent::kFew : Extent::kAll;
}
bool all_classes() { return extent() == Extent::kAll; }
// The most stages of a class: `stages`, or one less if few classes are wanted.
int up_to(int stages) { return extent() == Extent::kFew ? stages - 1 : stages; }

}  // namespace

TEST_CASE(
    "a graph without loops is accepted if, and only if, it is right whatever is chosen, and gives what it means") {
  SmallGraphs graphs;
  for (int stages = 1; stages <= up_to(4); ++stages) {
    const int most = stages == 4 && !all_classes() ? 2 : 6;
    const Enumeration what{.stages = stages, .most_writers = most, .most_readers = most};
    const Tally tally = graphs.check(std::to_string(stages) + " stages", what);
    CHECK(tally.accepted == tally.right);
    CHECK(tally.accepted > 0);
  }
}

TEST_CASE("likewise where ports hold their tokens") {
  SmallGraphs graphs;
  for (int stages = 1; stages <= (all_classes() ? 4 : up_to(3)); ++stages) {
    const int most = stages == 4 ? 2 : 6;
    const Enumeration what{.stages = stages, .most_writers = most, .most_readers = most, .holds = true};
    const Tally tally = graphs.check(std::to_string(stages) + " stages, some hold", what);
    CHECK(tally.accepted == tally.right);
  }
}

TEST_CASE("likewise where outputs may be left out") {
  SmallGraphs graphs;
  for (int stages = 1; stages <= (all_classes() ? 3 : 2); ++stages) {
    const Enumeration what{.stages = stages, .most_writers = 2, .most_readers = 2, .optional = true};
    const Tally tally = graphs.check(std::to_string(stages) + " stages, some optional", what);
    CHECK(tally.accepted == tally.right);
  }
}

TEST_CASE("absent tokens turn loops, as often as they may") {
  SmallGraphs graphs;
  const Enumeration what{.stages = 2, .most_writers = 2, .most_readers = 2, .edges_back = 1, .optional = true};
  const Tally tally = graphs.check("2 stages, 1 edge back, some optional", what);
  CHECK(tally.accepted > 0);
  for (const auto& example : tally.examples) {
    INFO(example.second);
    CHECK(kTooStrict.contains(example.first));
  }
}

TEST_CASE("likewise where stages scatter and ports hold") {
  SmallGraphs graphs;
  for (int stages = 2; stages <= up_to(3); ++stages) {
    const Enumeration what{.stages = stages, .most_writers = 2, .most_readers = 2, .holds = true, .scatters = true};
    const Tally tally = graphs.check(std::to_string(stages) + " stages, some scatter, some hold", what);
    CHECK(tally.accepted <= tally.right);
  }
}

TEST_CASE("likewise where stages scatter and gather") {
  SmallGraphs graphs;
  for (int stages = 2; stages <= up_to(4); ++stages) {
    const int most = stages < 4 || all_classes() ? 2 : 1;  // 1: chains
    const Enumeration what{.stages = stages, .most_writers = most, .most_readers = most, .scatters = true};
    const Tally tally = graphs.check(std::to_string(stages) + " stages, some scatter", what);
    CHECK(tally.accepted <= tally.right);
    CHECK(tally.accepted > 0);
  }
}

TEST_CASE("a graph with loops is accepted only if it is right whatever is chosen, and gives what it means") {
  struct Class {
    int stages, edges_back, most;
  };
  std::vector<Class> classes{{1, 1, 6}, {2, 1, 6}, {2, 2, 6}};
  if (extent() != Extent::kFew) classes.push_back({3, 1, 2});
  if (all_classes()) classes.insert(classes.end(), {{3, 1, 3}, {3, 2, 2}, {4, 1, 2}});
  SmallGraphs graphs;
  for (const auto& [stages, back, most] : classes) {
    const Enumeration what{.stages = stages, .most_writers = most, .most_readers = most, .edges_back = back};
    const Tally tally = graphs.check(std::to_string(stages) + " stages, " + std::to_string(back) + " edges back", what);
    CHECK(tally.accepted > 0);
    for (const auto& example : tally.examples) {
      INFO(example.second);
      CHECK(kTooStrict.contains(example.first));
    }
  }
}

}  // namespace woa::test
