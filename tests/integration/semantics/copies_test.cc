// Random graphs whose stages are on several controllers at once, if that is quicker: the outputs are what the graph
// means, under every call model. WOA_RANDOM_GRAPHS sets how many graphs there are.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/integration/semantics/graph_run.h"
#include "tests/integration/semantics/number_in.h"
#include "tests/integration/semantics/program_kernels.h"
#include "tests/support/random_program.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kInstancesOfCopies = 8;
// A machine on which stages go to their readers' controllers, even twice.
constexpr const char* kFarMachine =
    "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}, \"cpu:2\": {}}\n"
    "links: [{between: [host, cpu], latency: 1ns, bandwidth: 100GB/s}]\n"
    "default_link: {latency: 1ms, bandwidth: 1GB/s}\n";

class CopiesFolder {
 public:
  CopiesFolder() {
    std::string name = (fs::temp_directory_path() / "woa-copies-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  CopiesFolder(const CopiesFolder&) = delete;
  CopiesFolder& operator=(const CopiesFolder&) = delete;
  ~CopiesFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

// Stages that read the input or any earlier stage, so that most have several readers; unread outputs are joined at the
// end.
class RandomDag {
 public:
  RandomDag(std::mt19937& random, std::size_t stages) {
    std::vector<std::size_t> unread;
    for (std::size_t s = 0; s < stages; ++s) {
      std::vector<std::size_t> read{random() % (s + 1)};
      if (random() % 3 == 0) read.push_back(random() % (s + 1));
      add(read, random() % 4 == 0, random() % 5 < 2 ? std::optional(random() % 3) : std::nullopt);
      std::erase_if(unread, [&](std::size_t number) { return std::ranges::find(read, number) != read.end(); });
      unread.push_back(s + 1);
    }
    while (unread.size() > 1) {
      add({unread[0], unread[1]}, false, random() % 3);
      unread.erase(unread.begin(), unread.begin() + 2);
      unread.push_back(reads_.size());
    }
    text_ = "woa: 1\ngraph: random\ninputs: {x: {type: bytes, max: 64}}\nstages:\n" + stages_ +
            "outputs: {y: " + writer(unread[0]) + "}\n";
    last_ = unread[0];
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::string expect(const std::string& x) const {
    std::vector<std::string> values{x};
    for (std::size_t s = 0; s < reads_.size(); ++s) {
      std::vector<std::string> inputs;
      for (const std::size_t number : reads_[s]) inputs.push_back(values[number]);
      values.push_back(value_of("s" + std::to_string(s), 0, inputs));
    }
    return values[last_];
  }

 private:
  // The writer of value `number`: 0 is the input, others are earlier stages.
  static std::string writer(std::size_t number) {
    return number == 0 ? "x" : "s" + std::to_string(number - 1) + ".out";
  }
  void add(const std::vector<std::size_t>& read, bool held, std::optional<std::size_t> on) {
    const std::string first = writer(read.front()), last = writer(read.back());
    stages_ += "  s" + std::to_string(reads_.size()) + ": {kernel: ";
    if (read.size() == 1)
      stages_ += "copy, in: {in: " + first + "}";
    else
      stages_ += "join2, in: {a: " + first + ", b: " + (held ? "{from: " + last + ", hold: true}" : last) + "}";
    if (on) stages_ += ", on: \"cpu:" + std::to_string(*on) + "\"";
    stages_ += "}\n";
    reads_.push_back(read);
  }

  std::string stages_, text_;
  std::vector<std::vector<std::size_t>> reads_;  // by stage
  std::size_t last_ = 0;
};

// Every stage takes a nanosecond, and fires once.
std::string profile_of(const CertifiedPlan& plan, const std::string& hash) {
  const auto end = [&](std::uint32_t s, const std::string& port) { return plan.stages[s].name + "." + port; };
  std::string text = "woa_profile: 1\ngraph: random\ngraph_hash: \"" + hash + "\"\nstages:\n";
  for (std::uint32_t s = 2; s < plan.stages.size(); ++s)
    text += "  " + plan.stages[s].name + ": {firings: 1, on: {cpu: {time_ps: 1000}}}\n";
  text += "edges:\n";
  for (const EdgePlan& edge : plan.edges)
    text += "  - {from: " + end(edge.from_stage, plan.stages[edge.from_stage].outputs[edge.from_port].name) +
            ", to: " + end(edge.to_stage, plan.stages[edge.to_stage].inputs[edge.to_port].name) +
            ", tokens: 1, bytes: 16}\n";
  return text;
}

CompileOptions options_with_copies(const std::string& text, const CopiesFolder& folder) {
  CompileOptions options;
  options.kernel_path = {std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler/kernels"};
  const Compilation plain = compile_text(text, "graph.yaml", "", options);
  REQUIRE(plain.plan.has_value());
  options.machine = folder.write("machine.yaml", kFarMachine);
  options.profile = folder.write("profile.yaml", profile_of(*plain.plan, plain.facts.hash));
  options.goal.copies = 3;
  options.placement_limit = std::chrono::milliseconds(200);
  return options;
}

std::size_t copies_in(const CertifiedPlan& plan) {
  return static_cast<std::size_t>(
      std::ranges::count_if(plan.certificate->costs.stages, [](const StageCosts& stage) { return stage.copy != 0; }));
}

template <class Made>
void check_copies(std::uint32_t seed, int graphs) {
  std::mt19937 random(seed);
  const CopiesFolder folder;
  std::size_t copied = 0;
  for (int g = 0; g < graphs; ++g) {
    const RandomDag dag(random, 3 + random() % 8);
    INFO(dag.text());
    CertifiedPlan plan = compiled(dag.text(), options_with_copies(dag.text(), folder));
    REQUIRE(verify_liveness(plan).message() == "");
    REQUIRE(verify_certificate(plan).message() == "");
    copied += copies_in(plan);
    plan.window = 1 + random() % 8;
    if (random() % 2 == 0)  // exactly what one instance needs
      for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
    for (const std::string_view model : models_of(plan)) {
      INFO(model);
      const Outcome outcome = run_as<Made>(plan, model, program_kernels(), kInstancesOfCopies);
      REQUIRE(outcome.status.ok());
      for (std::uint64_t i = 0; i < kInstancesOfCopies; ++i)
        REQUIRE(outcome.outputs.at(i)[0] == dag.expect(instance_number(i, 0)));
    }
  }
  CHECK(copied > static_cast<std::size_t>(graphs) / 4);
}

}  // namespace

TEST_CASE("a random graph gives what it means with copies of its stages") {
  check_copies<FunctionBackend>(11, number_in("WOA_RANDOM_GRAPHS", 150, 60));
}

TEST_CASE("a random graph gives what it means with copies that end in any order") {
  check_copies<ThreadedBackend>(12, 30);
}

}  // namespace woa::test
