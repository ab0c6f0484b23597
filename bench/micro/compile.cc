#include "bench/micro/compile.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/micro/random_graph.h"
#include "compiler/compiler.h"
#include "runtime/base/clock.h"
#include "runtime/base/free_memory.h"

namespace woa::bench {
namespace {

Status refused(const Compilation& compilation) {
  return {Code::kInternal, compilation.diagnostics.empty() ? "the compiler made no plan"
                                                           : format(compilation.diagnostics.front(), false)};
}

struct Tallies {
  Tally proved{"proved"}, claimed{"claimed by the solver"}, gap{"with a gap"}, near{"within 2 % of the bound"};
  void count(const Certificate& certificate) {
    const auto value = static_cast<double>(certificate.value_ps), bound = static_cast<double>(certificate.bound_ps);
    Tally& tally = certificate.status == "proved" ? proved : certificate.status == "claimed" ? claimed : gap;
    for (Tally* each : {&tally, &near}) each->worst = std::max(each->worst, bound > 0 ? value / bound : 0);
    for (Tally* each : {&proved, &claimed, &gap, &near}) ++each->of;
    ++tally.within;
    if (value <= 1.02 * bound) ++near.within;
  }
};

// Restarts the count of peak_mib(). A system that cannot do that counts from the start of the process.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_mib() { return static_cast<double>(number_behind("/proc/self/status", "VmHWM:")) / 1024; }

struct Compiled {
  double ms = 0, mib = 0;
};

// Compiles one graph, starting from its file.
Result<Compiled> compile_one(const CompileBenchOptions& options, std::uint32_t seed, Tallies& tallies) {
  RandomGraph random(options.stages, options.controllers, seed);
  WOA_RETURN_IF_ERROR(random.write());
  CompileOptions compile;
  compile.machine = random.machine();
  const Compilation known = compile_file(random.graph(), compile);
  if (!known.plan) return refused(known);
  WOA_RETURN_IF_ERROR(random.write_profile(known.facts.hash));
  compile.profile = random.profile();
  compile.goal.objective = options.objective;
  compile.placement_limit = options.placement_limit;
  forget_peak();
  const std::uint64_t begin = now_ns();
  const Compilation placed = compile_file(random.graph(), compile);
  const double ms = static_cast<double>(now_ns() - begin) / 1e6;
  if (!placed.plan) return refused(placed);
  tallies.count(*placed.plan->certificate);
  return Compiled{ms, peak_mib()};
}

// Milliseconds to parse and check a graph.
Result<double> check_one(std::uint32_t stages, std::uint32_t seed) {
  const RandomGraph random(stages, 1, seed);
  WOA_RETURN_IF_ERROR(random.write());
  CompileOptions compile;
  compile.machine = random.machine();
  compile.only_check = true;
  const std::uint64_t begin = now_ns();
  const Compilation checked = compile_file(random.graph(), compile);
  const double ms = static_cast<double>(now_ns() - begin) / 1e6;
  if (!checked.diagnostics.empty()) return refused(checked);
  return ms;
}

// The exponent of t = stages^exponent.
double exponent(double times, double of_stages) { return std::log(times) / std::log(of_stages); }

// The growth from the first row to the last, beside that of n log n.
void add_growth(std::vector<Row>& rows) {
  const std::uint64_t from = rows.front().size, to = rows.back().size;
  const auto least = static_cast<double>(from), most = static_cast<double>(to);
  const double limit = exponent(most * std::log(most) / (least * std::log(least)), most / least);
  const double ours = exponent(rows.back().median() / rows.front().median(), most / least);
  rows.push_back({"n log n", "limit", to, "exponent", {limit}});
  rows.push_back({"growth from " + std::to_string(from), "ours", to, "exponent", {ours}, ours / limit});
}

}  // namespace

Result<Report> bench_compile(const CompileBenchOptions& options) {
  const std::string what = std::to_string(options.controllers) + " controllers, " + options.objective;
  Row time{what, "ours", options.stages, "ms", {}}, memory{"peak memory", "ours", options.stages, "MiB", {}};
  Tallies tallies;
  for (std::uint32_t seed = 1; seed <= options.graphs; ++seed) {
    WOA_ASSIGN_OR_RETURN(const auto compiled, compile_one(options, seed, tallies));
    time.samples.push_back(compiled.ms);
    memory.samples.push_back(compiled.mib);
  }
  Report report{"compile", "n/a", Better::kLess, "n/a", {std::move(time), std::move(memory)}};
  report.size_name = "STAGES";
  report.tallies = {tallies.proved, tallies.claimed, tallies.gap, tallies.near};
  return report;
}

Result<Report> bench_check(const CheckBenchOptions& options) {
  Report report{"check", "n/a", Better::kLess, "n/a", {}};
  report.size_name = "STAGES";
  std::vector<std::uint32_t> sizes = options.stages;
  std::ranges::sort(sizes);
  for (const std::uint32_t stages : sizes) report.rows.push_back({"parse and check", "ours", stages, "ms", {}});
  for (std::uint32_t seed = 1; seed <= options.graphs; ++seed)
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      WOA_ASSIGN_OR_RETURN(const auto ms, check_one(sizes[i], seed));
      report.rows[i].samples.push_back(ms);
    }
  if (sizes.front() < sizes.back()) add_growth(report.rows);
  return report;
}

}  // namespace woa::bench
