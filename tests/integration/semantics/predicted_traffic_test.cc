// A plan sends what was predicted, under every call model, message for message and byte for byte: the profile is of the
// very instances that run. Random graphs, and every small one of some kinds.
//
// WOA_PREDICTED_GRAPHS sets how many random graphs there are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "compiler/compiler.h"
#include "compiler/place/call_route.h"
#include "compiler/predict/traffic.h"
#include "runtime/call_models/call_model.h"
#include "runtime/controller/trace_counts.h"
#include "tests/integration/semantics/driven_run.h"
#include "tests/integration/semantics/enumerate.h"
#include "tests/integration/semantics/number_in.h"
#include "tests/integration/semantics/program_kernels.h"
#include "tests/integration/semantics/small_run.h"
#include "tests/support/catch.h"
#include "tests/support/random_program.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kInstances = 12;  // a multiple of all numbers of replicas, so that their shares are equal
constexpr const char* kControllers[] = {"cpu:0", "cpu:1", "gpu:0", "gpu:1"};  // the first two for kernels of one kind

// A graph, and how its stages are run. Stages are s0, s1, ...
struct Subject {
  std::string text, kernels;  // the graph file, and the folder of its kernels
  std::size_t stages = 0;
  std::function<bool(std::size_t stage)> one_kind;
  std::function<CertifiedPlan(CertifiedPlan)> prepared;
  std::function<Functions()> functions;  // of one run
  std::uint64_t instances = kInstances, alike = 1;
};

// The profile that `woa profile` would write of a driven run. All times are the same.
std::string profile_of(const CertifiedPlan& plan, const Driven& driven, const std::string& hash,
                       std::uint64_t instances) {
  std::map<std::string, double> firings;
  std::vector<std::span<const TraceEvent>> traces;
  for (const StagePlan& stage : plan.stages)
    if (stage.role == StageRole::kKernel) firings[stage.name] = 0;
  for (const auto& trace : driven.traces) {
    traces.emplace_back(trace);
    for (const TraceEvent& event : trace)
      if (event.kind == TraceEvent::Kind::kFiring && firings.contains(plan.stages[event.stage].name))
        ++firings[plan.stages[event.stage].name];
  }
  std::ostringstream out;
  out.precision(17);
  const auto mean = [](double sum, double count) { return count == 0 ? 0 : sum / count; };
  const auto n = static_cast<double>(instances);
  out << "woa_profile: 1\ngraph: " << plan.graph << "\ngraph_hash: \"" << hash << "\"\nstages:\n";
  for (const auto& [name, count] : firings)
    out << "  " << name << ": {firings: " << count / n << ", on: {cpu: {time_ps: 1000}, gpu: {time_ps: 1000}}}\n";
  out << "edges:\n";
  const auto tokens = traced_tokens(plan, traces, 0);
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    if (edge.count) continue;
    double bytes = 0, unread = 0, unread_bytes = 0;
    for (const TracedToken& token : tokens[e]) {
      const auto size = static_cast<double>(token.bytes);
      bytes += size, unread += token.read ? 0 : 1, unread_bytes += token.read ? 0 : size;
    }
    const auto count = static_cast<double>(tokens[e].size());
    const StagePlan &from = plan.stages[edge.from_stage], &to = plan.stages[edge.to_stage];
    out << "  - {from: " << from.name << "." << from.outputs[edge.from_port].name << ", to: " << to.name << "."
        << to.inputs[edge.to_port].name << ", tokens: " << count / n << ", bytes: " << mean(bytes, count)
        << ", unread: " << unread / n << ", unread_bytes: " << mean(unread_bytes, unread) << "}\n";
  }
  return out.str();
}

// True if an edge is chosen by an element's number: how many elements there are depends on computed values.
bool chooses_by_element(const CertifiedPlan& plan) {
  return std::ranges::any_of(plan.edges, [](const EdgePlan& edge) { return edge.choice.bits != 0; });
}

class Predictions {
 public:
  explicit Predictions(std::uint32_t seed) : random_(seed), folder_(std::make_unique<KernelFolder>()) {}

  // False: the graph has no prediction, since it is refused, some instance fails or shares are not equal.
  bool check(const Subject& subject) {
    CompileOptions options;
    options.kernel_path = {subject.kernels};
    for (std::size_t s = 0; s < subject.stages; ++s) options.replicas["s" + std::to_string(s)] = 1;
    const std::optional<std::string> profile = measure(subject, options);
    if (!profile) return false;
    options.profile = std::filesystem::path(folder_->path()) / "profile.yaml";
    std::ofstream(*options.profile) << *profile;
    options.replicas.clear();
    for (std::size_t s = 0; s < subject.stages; ++s)
      options.pins["s" + std::to_string(s)] = kControllers[random_() % (subject.one_kind(s) ? 2 : 4)];
    for (const std::string_view model : kCallModels) {
      options.goal.model = model;
      INFO(model << "\n" << subject.text << *profile);
      if (!check_model(subject, options)) return false;
    }
    return true;
  }
  void print(const char* what) const {
    std::printf("%s: %d graphs, %d of them with tokens that are never read; runs:", what, graphs_, with_unread_);
    for (const auto& [model, runs] : runs_) std::printf(" %s %d", model.c_str(), runs);
    std::printf("\n");
  }
  [[nodiscard]] int graphs() const noexcept { return graphs_; }
  [[nodiscard]] int with_unread() const noexcept { return with_unread_; }
  [[nodiscard]] std::size_t below(std::size_t n) { return random_() % n; }
  [[nodiscard]] std::mt19937& random() noexcept { return random_; }

 private:
  std::optional<std::string> measure(const Subject& subject, const CompileOptions& options) {
    const Compilation compiled = compile_text(subject.text, "graph.yaml", "", options);
    if (!compiled.plan) return std::nullopt;
    const CertifiedPlan plan = subject.prepared(*compiled.plan);
    const Driven driven = drive(subject, plan);
    if (!driven.failures.empty()) return std::nullopt;
    return profile_of(plan, driven, compiled.facts.hash, subject.instances);
  }

  Driven drive(const Subject& subject, const Plan& plan) {
    const auto seed = static_cast<std::uint32_t>(random_());
    Driven driven = drive_counted(plan, subject.functions(), subject.instances, seed, subject.alike);
    REQUIRE(driven.status.message() == "");
    REQUIRE_FALSE(driven.stands_still);
    return driven;
  }

  bool check_model(const Subject& subject, const CompileOptions& options) {
    const Compilation compiled = compile_text(subject.text, "graph.yaml", "", options);
    INFO((compiled.diagnostics.empty() ? "" : format(compiled.diagnostics.front(), false)));
    REQUIRE(compiled.plan.has_value());
    REQUIRE(compiled.plan->certificate.has_value());
    if (chooses_by_element(*compiled.plan)) return false;
    const CertifiedPlan plan = subject.prepared(*compiled.plan);
    const auto calls = rewrite(plan, options.goal.model);
    if (calls.status().code() == Code::kUnsupported) return true;
    INFO(calls.status().message());
    REQUIRE(calls.ok());
    const Driven driven = drive(subject, *calls);
    REQUIRE(driven.failures.empty());
    check_traffic(subject, with_proofs(*calls, plan), driven);
    const Prediction& known = compiled.plan->certificate->prediction;
    const auto all = [&](std::uint64_t millionths) {
      return std::llround(static_cast<double>(millionths) * static_cast<double>(subject.instances) / kPerMillion);
    };
    long long messages = 0, payload_bytes = 0;
    for (const EdgeStats& edge : driven.edges)
      messages += static_cast<long long>(edge.messages), payload_bytes += static_cast<long long>(edge.payload_bytes);
    REQUIRE(all(known.messages) == messages);
    REQUIRE(all(known.payload_bytes) == payload_bytes);
    count(*compiled.plan, options.goal.model);
    return true;
  }
  // An output's payload crosses to a controller once, and counts for one of the edges.
  static bool shares_payload(const Plan& calls, std::size_t e) {
    const EdgePlan& edge = calls.edges[e];
    return 1 < std::ranges::count_if(calls.edges, [&](const EdgePlan& other) {
             return std::pair(other.from_stage, other.from_port) == std::pair(edge.from_stage, edge.from_port) &&
                    calls.stages[other.to_stage].controller == calls.stages[edge.to_stage].controller;
           });
  }
  // Pictures show the traffic of every edge.
  static void check_traffic(const Subject& subject, const CertifiedPlan& calls, const Driven& driven) {
    const std::vector<Traffic> traffic = traffic_of(calls);
    REQUIRE(traffic.size() == calls.edges.size());
    for (std::size_t e = 0; e < traffic.size(); ++e) {
      const StagePlan &from = calls.stages[calls.edges[e].from_stage], &to = calls.stages[calls.edges[e].to_stage];
      if (from.controller == to.controller) continue;
      INFO("from " << from.name << " to " << to.name);
      REQUIRE(std::llround(traffic[e].tokens * static_cast<double>(subject.instances)) ==
              static_cast<long long>(driven.edges[e].messages));
      if (shares_payload(calls, e)) continue;
      REQUIRE(std::llround(traffic[e].bytes * static_cast<double>(subject.instances)) ==
              static_cast<long long>(driven.edges[e].payload_bytes));
    }
  }
  void count(const CertifiedPlan& plan, const std::string& model) {
    ++runs_[model];
    if (model != "woa") return;
    ++graphs_;
    with_unread_ += std::ranges::any_of(plan.certificate->costs.edges, &EdgeCosts::unread) ? 1 : 0;
  }

  std::mt19937 random_;
  std::unique_ptr<KernelFolder> folder_;  // for profiles
  std::map<std::string, int> runs_;       // by call model
  int graphs_ = 0, with_unread_ = 0;
};

constexpr int kUsualRandomGraphs = 300;
int random_graphs() { return number_in("WOA_PREDICTED_GRAPHS", kUsualRandomGraphs, 30); }

CertifiedPlan without_libraries(CertifiedPlan plan) {
  for (StagePlan& stage : plan.stages) stage.library.clear();
  return plan;
}

void check_small(const char* what, const Enumeration& which) {
  KernelFolder kernels;
  describe_small_kernels(kernels);
  Predictions predictions(31);
  enumerate(which, [&](const SmallGraph& graph) {
    const SmallRun run(graph);
    Subject subject;
    subject.text = graph.text();
    subject.kernels = kernels.path();
    subject.stages = graph.stages.size();
    subject.one_kind = [&](std::size_t s) { return graph.stages[s].one_kind(); };
    subject.prepared = [&](CertifiedPlan plan) { return run.prepared(std::move(plan), 1, false); };
    subject.functions = [&run] { return run.functions(); };
    subject.instances = run.instances();
    predictions.check(subject);
  });
  predictions.print(what);
  CHECK(predictions.graphs() > 0);
  if (which.holds) CHECK(predictions.with_unread() > 0);
}

}  // namespace

TEST_CASE("random graphs send what was predicted") {
  const ProgramKernels kernels;
  Predictions predictions(30);
  const int count = random_graphs();
  for (int checked = 0; checked < count;) {
    const RandomProgram program(predictions.random(), 3 + predictions.below(16), true);
    Subject subject;
    subject.text = program.text();
    subject.kernels = kernels.path();
    subject.stages = program.stages();
    subject.one_kind = [&](std::size_t s) { return one_kind(program.kernel_of(s)); };
    subject.prepared = without_libraries;
    subject.functions = stateful_program_kernels;
    if (program.text().find("replicas") != std::string::npos) subject.alike = kInstances, subject.instances *= 2;
    checked += predictions.check(subject) ? 1 : 0;
  }
  predictions.print("random graphs");
  CHECK(predictions.with_unread() > count / 50);
}

TEST_CASE("small graphs send what was predicted: held tokens, also of branches that are not taken") {
  const int most = random_graphs() < kUsualRandomGraphs ? 2 : 3;
  check_small("hold", {.stages = 3, .most_writers = most, .most_readers = most, .holds = true});
}

TEST_CASE("small graphs send what was predicted: held tokens of scatters") {
  check_small("hold and scatter", {.stages = 3, .most_writers = 2, .most_readers = 2, .holds = true, .scatters = true});
}

TEST_CASE("small graphs send what was predicted: absent tokens, loops, scatters") {
  check_small("optional", {.stages = 2, .most_writers = 2, .most_readers = 2, .optional = true});
  check_small("loops", {.stages = 2, .most_writers = 3, .most_readers = 3, .edges_back = 1});
  check_small("scatter", {.stages = 3, .most_writers = 2, .most_readers = 2, .scatters = true});
}

}  // namespace woa::test
