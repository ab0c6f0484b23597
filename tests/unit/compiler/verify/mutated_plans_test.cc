// `woa verify` against plans that were changed by hand: each field of each message in turn, with checksums and hashes
// made right again. Each is refused, or what it says is still true.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/place/cost_table.h"
#include "runtime/base/child_process.h"
#include "runtime/base/sanitizers.h"
#include "runtime/packet/crc32c.h"
#include "runtime/plan/plan_file.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/unit/compiler/fixture.h"
#include "tests/unit/compiler/place/is_true.h"

namespace woa::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeaderBytes = 20;
constexpr std::uint64_t kLimit_ns = 120'000'000'000;
#if defined(WOA_THREAD_SANITIZER) || defined(WOA_ADDRESS_SANITIZER)
constexpr std::size_t kEvery = 4;  // of the changed plans one is tried, since each takes ten times as long
#else
constexpr std::size_t kEvery = 1;
#endif

const char* const kGraph =
    "woa: 1\ngraph: test\ninputs: {x: {type: bytes, max: 1MiB}}\nstages:\n"
    "  a: {kernel: copy, in: {in: x}}\n"
    "  b: {kernel: copy, in: {in: a.out}}\n"
    "  c: {kernel: copy, in: {in: b.out}}\n"
    "outputs: {y: c.out, z: a.out}\n";

const char* const kMachine =
    "woa_machine: 1\ncores: {all: 1}\ncontrollers:\n"
    "  \"cpu:0\": {workers: 2, cores: all, memory: 1GiB, price: 10, power: 20W}\n"
    "  \"cpu:1\": {cores: all, price: 10, power: 20W}\n"
    "  \"gpu:0\": {price: 30, power: 70W}\n"
    "  \"fpga:0\": {price: 25, power: 10W}\n"
    "default_link: {latency: 2us, bandwidth: 1GB/s}\n";

const char* const kTimes =
    "{firings: 1.5, on: {cpu: {time_ps: 9000000}, gpu: {time_ps: 4000000}, fpga: {time_ps: 5000000}}}\n";

std::string profile_of(const std::string& graph_hash) {
  std::string text = "woa_profile: 1\ngraph: test\ngraph_hash: \"" + graph_hash + "\"\nstages:\n";
  for (const char* stage : {"  a: ", "  b: ", "  c: "}) text += std::string(stage) + kTimes;
  text += "edges:\n";
  for (const char* ends : {"from: source.x, to: a.in", "from: a.out, to: b.in", "from: b.out, to: c.in",
                           "from: c.out, to: sink.y", "from: a.out, to: sink.z"})
    text += "  - {" + std::string(ends) + ", tokens: 1, bytes: 5000}\n";
  return text;
}

// A folder that is gone afterwards.
class Compiled {
 public:
  Compiled() : folder_(fs::temp_directory_path() / ("woa-mutated-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    options_ = fixture_options();
    options_.machine = write("machine.yaml", kMachine);
    options_.profile =
        write("profile.yaml", profile_of(compile_text(kGraph, "graph.yaml", folder_, fixture_options()).facts.hash));
  }
  ~Compiled() { fs::remove_all(folder_); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  CertifiedPlan plan(const PlacementGoal& goal) const {
    CompileOptions options = options_;
    options.goal = goal;
    Compilation result = compile_text(kGraph, "graph.yaml", folder_, options);
    INFO(say(result));
    REQUIRE(result.plan.has_value());
    result.plan->model = goal.model;
    return *result.plan;
  }

 private:
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path folder_;
  CompileOptions options_;
};

struct Changed {
  std::string name, body;
};

std::vector<Changed> changes_of(const CertifiedPlan& plan) {
  const std::string bytes = need(run_program({std::string(WOA_BUILD_DIR) + "/tests/plan_mutator"},
                                             serialize(plan).substr(kHeaderBytes), kLimit_ns));
  std::vector<Changed> all;
  std::size_t at = 0;
  const auto next = [&] {
    std::uint32_t size = 0;
    REQUIRE(at + sizeof size <= bytes.size());
    std::memcpy(&size, bytes.data() + at, sizeof size);
    at += sizeof size + size;
    REQUIRE(at <= bytes.size());
    return bytes.substr(at - size, size);
  };
  while (at < bytes.size()) {
    std::string name = next();
    all.push_back({std::move(name), next()});
  }
  return all;
}

// Reads a body behind a valid header.
Result<CertifiedPlan> read(const std::string& body) {
  const std::uint32_t header[]{kPlanVersion, static_cast<std::uint32_t>(body.size()),
                               crc32c(std::as_bytes(std::span(body)))};
  std::string file = "WOAPLAN\n";
  file.append(reinterpret_cast<const char*>(header), sizeof header);
  return parse_certified_plan(std::as_bytes(std::span(file += body)));
}

struct Outcome {
  std::size_t refused = 0, found_false = 0, found_true = 0;
};

void check(const CertifiedPlan& plan, Outcome& outcome) {
  REQUIRE(verify_certificate(plan).message() == "");
  const Certificate& original = *plan.certificate;
  const auto least = least_of(original);
  std::size_t number = 0;
  for (const Changed& changed : changes_of(plan)) {
    if (number++ % kEvery != 0) continue;
    INFO(changed.name);
    Result<CertifiedPlan> read_back = read(changed.body);
    if (!read_back.ok()) {
      if (read_back.status().message().empty()) FAIL("refused without a reason");
      ++outcome.refused;
      continue;
    }
    if (read_back->certificate) read_back->certificate->costs_hash = hash_of(read_back->certificate->costs);
    const Status status = verify_certificate(*read_back);
    if (!status.ok()) {
      if (status.message().empty()) FAIL("found false without a reason");
      ++outcome.found_false;
      continue;
    }
    ++outcome.found_true;
    const Certificate& changed_to = *read_back->certificate;
    const bool same_problem = changed_to.goal == original.goal && changed_to.costs == original.costs;
    if (!is_true(*read_back, same_problem ? least : least_of(changed_to))) FAIL("found true, but it is not");
  }
}

}  // namespace

TEST_CASE("a plan that was changed in any field is refused, found false, or still true") {
  const Compiled compiled;
  Outcome outcome;
  check(compiled.plan({}), outcome);
  check(compiled.plan({.model = "rpc-hub"}), outcome);
  check(compiled.plan({.objective = "throughput", .most_latency_ps = 60'000'000}), outcome);
  check(compiled.plan({.most_price = 29, .most_power_mw = 90'000}), outcome);
  check(compiled.plan({.copies = 2}), outcome);
  INFO(outcome.refused << " refused, " << outcome.found_false << " found false, " << outcome.found_true
                       << " still true");
  CHECK(outcome.refused + outcome.found_false + outcome.found_true >= 2000 / kEvery);
  CHECK(outcome.found_false >= 500 / kEvery);
  CHECK(outcome.found_true >= 100 / kEvery);
}

}  // namespace woa::test
