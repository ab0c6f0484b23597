// woa bench NAME: micro-benchmarks of the fabric, beside their physical limit.
#include <cstdio>
#include <memory>

#include "bench/micro/fabric.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tools/woa/commands.h"
#include "tools/woa/environment.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

using nlohmann::json;

struct BenchArguments {
  bool json = false;
  std::uint64_t count = 0, repetitions = 11;
  double seconds = 5;
};

using Bench = std::function<Result<bench::Report>(const RunOptions&, const BenchArguments&)>;

json to_json(const bench::Report& report) {
  json rows = json::array();
  for (const bench::Row& row : report.rows) {
    json entry{{"contender", row.contender}, {"role", row.role},       {"size", row.size}, {"unit", row.unit},
               {"min", row.min()},           {"median", row.median()}, {"max", row.max()}};
    entry["ratio_to_limit"] = row.ratio_to_limit > 0 ? json(row.ratio_to_limit) : json(nullptr);
    rows.push_back(std::move(entry));
  }
  return {{"bench", report.bench},
          {"transport", report.transport},
          {"host_state", report.host_state},
          {"rows", std::move(rows)}};
}

void print_table(const bench::Report& report) {
  std::printf("%s over %s, host state: %s\n", report.bench.c_str(), report.transport.c_str(),
              report.host_state.c_str());
  std::printf("  %-36s %-6s %8s %12s %12s %12s  %-12s %s\n", "CONTENDER", "ROLE", "BYTES", "MIN", "MEDIAN", "MAX",
              "UNIT", "TO LIMIT");
  for (const bench::Row& row : report.rows) {
    std::printf("  %-36s %-6s %8llu %12.3f %12.3f %12.3f  %-12s", row.contender.c_str(), row.role.c_str(),
                static_cast<unsigned long long>(row.size), row.min(), row.median(), row.max(), row.unit.c_str());
    if (row.ratio_to_limit > 0) std::printf(" %.2f x", row.ratio_to_limit);
    std::printf("\n");
  }
}

int run_bench(const Bench& bench, const BenchArguments& arguments) {
  const BackendRegistry backends = all_backends();
  ShmTransport transport;
  RunOptions options;
  options.backends = &backends;
  options.transport = &transport;
  options.kernel_path = kernel_path();
  options.node_command = {program_path().string(), "node"};
  const auto report = bench(options, arguments);
  if (!report.ok()) {
    return fail(report.status(), report.status().code() == Code::kUnavailable ? kUnavailable : kFailed, arguments.json);
  }
  arguments.json ? print_json(to_json(*report)) : print_table(*report);
  return kDone;
}

void add(CLI::App& parent, Action& action, const std::string& name, const std::string& help, std::uint64_t count,
         const std::string& count_help, Bench bench) {
  CLI::App& command = *parent.add_subcommand(name, help);
  auto arguments = std::make_shared<BenchArguments>();
  arguments->count = count;
  command.add_flag("--json", arguments->json, "Print one JSON object on stdout");
  if (count != 0) {
    command.add_option("--count", arguments->count, count_help)->check(CLI::PositiveNumber)->capture_default_str();
    command.add_option("--repetitions", arguments->repetitions, "Interleaved repetitions")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
  } else {
    command.add_option("--seconds", arguments->seconds, "How long")->check(CLI::PositiveNumber)->capture_default_str();
  }
  command.callback(
      [arguments, bench, &action] { action = [arguments, bench] { return run_bench(bench, *arguments); }; });
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("bench", "Micro-benchmarks of the fabric");
  command.require_subcommand(1);
  add(command, action, "hop", "One 64-byte activation from controller to controller, beside the raw mailbox", 200'000,
      "Hops", [](const RunOptions& options, const BenchArguments& a) {
        return bench::bench_hop(options, a.count, a.repetitions);
      });
  add(command, action, "busy", "Packets a second with 64 tokens in flight between two controllers", 1'000'000,
      "Packets", [](const RunOptions& options, const BenchArguments& a) {
        return bench::bench_busy(options, a.count, a.repetitions);
      });
  add(command, action, "idle", "Processor time of a run whose source never sends", 0, "",
      [](const RunOptions& options, const BenchArguments& a) { return bench::bench_idle(options, a.seconds); });
  add(command, action, "memory", "Growth of memory over many instances of 64 KiB", 20'000, "Instances",
      [](const RunOptions& options, const BenchArguments& a) { return bench::bench_memory(options, a.count); });
}

}  // namespace woa::tools
