#include "bench/micro/compile.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/base/clock.h"

namespace woa::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kReach = 8;  // a stage reads what those before it wrote

class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "woa-bench-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] bool made() const { return !path_.empty(); }
  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(fs::path(path_) / name) << text;
    return fs::path(path_) / name;
  }

 private:
  std::string path_;
};

// Which stages each reads; of stage 0 nothing: it reads the graph's input.
using Readers = std::vector<std::set<std::uint32_t>>;

// What nobody has read yet is read first, so that the graph's outputs are few.
Readers random_readers(std::uint32_t stages, std::mt19937& random) {
  Readers reads(stages);
  std::vector<bool> read(stages, false);
  for (std::uint32_t s = 1; s < stages; ++s) {
    const std::uint32_t first = s > kReach ? s - kReach : 0;
    std::uint32_t unread = first;
    while (unread < s && read[unread]) ++unread;
    if (unread < s) reads[s].insert(unread);
    if (unread == s || random() % 2 == 0) reads[s].insert(first + static_cast<std::uint32_t>(random() % (s - first)));
    for (const std::uint32_t from : reads[s]) read[from] = true;
  }
  return reads;
}

std::string stage(std::uint32_t number) { return "s" + std::to_string(number); }

std::vector<bool> read_by_somebody(const Readers& reads) {
  std::vector<bool> read(reads.size(), false);
  for (const auto& each : reads)
    for (const std::uint32_t from : each) read[from] = true;
  return read;
}

std::string graph_text(const Readers& reads) {
  std::string text =
      "woa: 1\ngraph: random\nkernels: [one.yaml, two.yaml]\ninputs: {in: {type: bytes, max: 1KiB}}\nstages:\n";
  for (std::uint32_t s = 0; s < reads.size(); ++s) {
    std::string inputs = "a: in", kernel = "one";
    if (!reads[s].empty()) inputs = "a: " + stage(*reads[s].begin()) + ".out";
    if (reads[s].size() > 1) inputs += ", b: " + stage(*reads[s].rbegin()) + ".out", kernel = "two";
    text += "  " + stage(s) + ": {kernel: " + kernel + ", in: {" + inputs + "}}\n";
  }
  text += "outputs:\n";
  const std::vector<bool> read = read_by_somebody(reads);
  for (std::uint32_t s = 0; s < reads.size(); ++s)
    if (!read[s]) text += "  o" + std::to_string(s) + ": " + stage(s) + ".out\n";
  return text;
}

std::string kernel_text(const std::string& name, const std::string& inputs) {
  return "woa_kernel: 1\nname: " + name + "\nsummary: of a benchmark, never run\nin: {" + inputs +
         "}\nout: {out: {type: bytes, max: 1KiB}}\nlibrary: none.so\nvariants: {cpu: {}}\n";
}

std::string machine_text(std::uint32_t controllers, std::mt19937& random) {
  std::string text = "woa_machine: 1\ncontrollers: {";
  for (std::uint32_t c = 0; c < controllers; ++c)
    text += (c == 0 ? "" : ", ") + ("\"cpu:" + std::to_string(c)) + "\": {}";
  text += "}\ndefault_link: {latency: 1us, bandwidth: 1GB/s}\nlinks:\n";
  for (std::uint32_t a = 0; a < controllers; ++a)
    for (std::uint32_t b = a + 1; b < controllers; ++b)
      text += "  - {between: [\"cpu:" + std::to_string(a) + "\", \"cpu:" + std::to_string(b) +
              "\"], latency: " + std::to_string(1 + random() % 5) +
              "us, bandwidth: " + std::to_string(1 + random() % 4) + "GB/s}\n";
  return controllers > 1 ? text : text + "  []\n";
}

std::string profile_text(const Readers& reads, const std::string& hash, std::uint32_t controllers,
                         std::mt19937& random) {
  std::string text = R"({"woa_profile": 1, "graph": "random", "graph_hash": ")" + hash + R"(", "stages": {)";
  for (std::uint32_t s = 0; s < reads.size(); ++s) {
    text += (s == 0 ? "\n\"" : ",\n\"") + stage(s) + R"(": {"firings": 1, "on": {)";
    for (std::uint32_t c = 0; c < controllers; ++c)
      text += (c == 0 ? "\"cpu:" : ", \"cpu:") + std::to_string(c) + R"(": {"time_ps": )" +
              std::to_string(5'000'000 + random() % 55'000'000) + "}";
    text += "}}";
  }
  text +=
      "}, \"edges\": [\n"
      R"({"from": "source.in", "to": "s0.a", "tokens": 1, "bytes": 100})";
  const auto edge = [&](const std::string& from, const std::string& to) {
    text += ",\n{\"from\": \"" + from + R"(", "to": ")" + to + R"(", "tokens": 1, "bytes": )" +
            std::to_string(random() % 30'000) + "}";
  };
  const std::vector<bool> read = read_by_somebody(reads);
  for (std::uint32_t s = 0; s < reads.size(); ++s) {
    if (!reads[s].empty()) edge(stage(*reads[s].begin()) + ".out", stage(s) + ".a");
    if (reads[s].size() > 1) edge(stage(*reads[s].rbegin()) + ".out", stage(s) + ".b");
    if (!read[s]) edge(stage(s) + ".out", "sink.o" + std::to_string(s));
  }
  return text + "]}\n";
}

Status refused(const Compilation& compilation) {
  return {Code::kInternal, compilation.diagnostics.empty() ? "the compiler made no plan"
                                                           : format(compilation.diagnostics.front(), false)};
}

struct Tallies {
  Tally proved{"proved"}, claimed{"claimed by the solver"}, gap{"with a gap"};
  void count(const Certificate& certificate) {
    Tally& tally = certificate.status == "proved" ? proved : certificate.status == "claimed" ? claimed : gap;
    ++tally.within;
    for (Tally* each : {&proved, &claimed, &gap}) ++each->of;
    const double value = static_cast<double>(certificate.value_ps), bound = static_cast<double>(certificate.bound_ps);
    tally.worst = std::max(tally.worst, bound > 0 ? value / bound : 0);
  }
};

// Milliseconds of one graph, from the file on.
Result<double> compile_one(const CompileBenchOptions& options, const TemporaryFolder& folder, std::uint32_t seed,
                           Tallies& tallies) {
  std::mt19937 random(seed);
  const Readers reads = random_readers(options.stages, random);
  const fs::path graph = folder.write("graph.yaml", graph_text(reads));
  (void)folder.write("one.yaml", kernel_text("one", "a: {type: bytes}"));
  (void)folder.write("two.yaml", kernel_text("two", "a: {type: bytes}, b: {type: bytes}"));
  CompileOptions compile;
  compile.machine = folder.write("machine.yaml", machine_text(options.controllers, random));
  const Compilation known = compile_file(graph, compile);
  if (!known.plan) return refused(known);
  compile.profile = folder.write("profile.json", profile_text(reads, known.facts.hash, options.controllers, random));
  compile.goal.objective = options.objective;
  compile.placement_limit = options.placement_limit;
  const std::uint64_t begin = now_ns();
  const Compilation placed = compile_file(graph, compile);
  const double ms = static_cast<double>(now_ns() - begin) / 1e6;
  if (!placed.plan) return refused(placed);
  tallies.count(*placed.plan->certificate);
  return ms;
}

}  // namespace

Result<Report> bench_compile(const CompileBenchOptions& options) {
  const TemporaryFolder folder;
  if (!folder.made()) return {Code::kExhausted, "a folder for temporary files could not be made; look at TMPDIR"};
  Row row{std::to_string(options.controllers) + " controllers, " + options.objective, "ours", options.stages, "ms", {}};
  Tallies tallies;
  for (std::uint32_t seed = 1; seed <= options.graphs; ++seed) {
    const auto ms = compile_one(options, folder, seed, tallies);
    if (!ms.ok()) return ms.status();
    row.samples.push_back(*ms);
  }
  Report report{"compile", "n/a", Better::kLess, "n/a", {std::move(row)}};
  report.size_name = "STAGES";
  report.tallies = {tallies.proved, tallies.claimed, tallies.gap};
  return report;
}

}  // namespace woa::bench
