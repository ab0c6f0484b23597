#include "library/plan_options.h"

#include <algorithm>
#include <array>
#include <limits>

#include "library/option_values.h"

namespace woa {
namespace {

constexpr std::array<Unit, 4> kPicoseconds{
    {{"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};

constexpr std::array<Unit, 3> kMilliwatts{{{"mW", 1}, {"W", 1'000}, {"kW", 1'000'000}}};

// A year: times computed with it, such as the end of a run, fit into 63 bits.
constexpr std::uint64_t kMostNs = 365ULL * 24 * 60 * 60'000'000'000;
// Largest bound on the price or the power: larger sums are not added up.
constexpr std::uint64_t kMostSpent = kMostCost - 1;

void read_replicas(const std::vector<std::string>& given, std::map<std::string, std::uint32_t>& replicas) {
  for (const std::string& text : given) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto count = equals == text.size() ? std::nullopt : parse_whole(std::string_view(text).substr(equals + 1));
    if (!count || *count > std::numeric_limits<std::uint32_t>::max())
      throw CLI::ValidationError("--replicas", "expects STAGE=N, got '" + text + "'");
    replicas[text.substr(0, equals)] = static_cast<std::uint32_t>(*count);
  }
}

void add_window_option(CLI::App& command, PlanOptions& options) {
  command
      .add_option("--window", options.window,
                  "Instances in flight at most (1-4096; default: twice the stages, and 32 for each of several workers)")
      ->transform(within(1, kMaxWindow));
}

void add_buffers_option(CLI::App& command, PlanOptions& options, const std::string& more,
                        const std::vector<std::string>& names, const std::string& by_default) {
  command
      .add_option("--buffers", options.buffers,
                  "Blocks per edge (docs/liveness.md; default: " + by_default +
                      "). full: as many as the workers use. least: for one instance" + more)
      ->check(one_of(names));
}

void add_replicas_option(CLI::App& command, PlanOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--replicas", [&options](const std::vector<std::string>& given) { read_replicas(given, options.replicas); },
          "Run a stage N times at once (1-64); may be repeated")
      ->type_name("STAGE=N")
      ->take_all()
      ->allow_extra_args(false);
}

void add_workers_option(CLI::App& command, PlanOptions& options) {
  command
      .add_option("--workers", options.workers,
                  "Firings at once of each cpu controller (1-1024; default: as many as its process may use processors, "
                  "or what the machine file says)")
      ->transform(within(1, kMaxWorkers));
}

void add_isolation_options(CLI::App& command, PlanOptions& options) {
  command.add_flag(
      "--isolate", options.isolate,
      "Run kernels of cpu controllers in processes of their own: one that crashes fails its instance alone "
      "(docs/isolation.md)");
  command
      .add_option("--kernel-limit", options.kernel_limit_ns,
                  "Longest time of a firing, for instance 2s; a kernel that takes longer is killed (implies --isolate)")
      ->transform(duration_ns());
}

}  // namespace

void add_nodes_option(CLI::App& command, PlanOptions& options) {
  command
      .add_option("--nodes", options.nodes,
                  "For a run of N nodes: without a machine file, a cpu controller for each (default: one)")
      ->transform(within(1, kMostCpus))
      ->type_name("N");
}

CLI::Validator duration_ns() { return with_unit(kTimeUnits, kMostNs, "TIME"); }

void add_param_option(CLI::App& command, PlanOptions& options) {
  command.add_option("--param", options.params, "Set a kernel's parameter; may be repeated")
      ->type_name("STAGE.NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

void add_machine_options(CLI::App& command, PlanOptions& options) {
  command
      .add_option(
          "--machine", options.machine,
          "Machine file: controllers, links, measurements (docs/machine.md; default: the file of `woa calibrate`)")
      ->type_name("FILE");
  command
      .add_option("--profile", options.profile,
                  "Measured times of this graph (`woa profile`, docs/profile.md); another graph's profile is refused")
      ->type_name("FILE");
}

void add_placement_options(CLI::App& command, PlanOptions& options) {
  const auto time = with_unit(kPicoseconds, kMostCost, "TIME");
  CLI::Option* const profile = command.get_option("--profile");
  command
      .add_option("--objective", options.goal.objective,
                  "Minimise latency (time of one instance; default, but for a `woa run` of many) or throughput (time "
                  "between instances)")
      ->check(one_of({"latency", "throughput"}))
      ->needs(profile);
  command.add_option("--max-latency", options.goal.most_latency_ps, "With --objective throughput: bound the latency")
      ->transform(time)
      ->needs(profile);
  command
      .add_option("--max-period", options.goal.most_period_ps,
                  "With --objective latency: bound the time between instances")
      ->transform(time)
      ->needs(profile);
  command
      .add_option("--max-price", options.goal.most_price,
                  "Bound the price of the controllers in use (unit of the machine file)")
      ->transform(within(0, kMostSpent))
      ->needs(profile);
  command
      .add_option("--max-power", options.goal.most_power_mw,
                  "Bound the power of the controllers in use, for instance 300W")
      ->transform(with_unit(kMilliwatts, kMostSpent, "POWER"))
      ->needs(profile);
  command
      .add_option("--copies", options.goal.copies,
                  "Controllers that may each run a copy of a stateless stage (1-8; default: 1)")
      ->transform(within(1, kMostCopies))
      ->needs(profile);
  command.add_option("--placement-limit", options.placement_limit_ns, "Time limit of the search (default: 10s)")
      ->transform(duration_ns())
      ->needs(profile);
}

void add_model_option(CLI::App& command, PlanOptions& options) {
  command
      .add_option("--model", options.model,
                  std::string(kWoa) + " forwards (default); " + list_of(std::span(kCallModels).subspan(1)) +
                      " return results (docs/call-models.md). A plan keeps its own")
      ->check(one_of({std::begin(kCallModels), std::end(kCallModels)}));
}

void add_deadline_option(CLI::App& command, PlanOptions& options) {
  command
      .add_option("--deadline", options.timeout_ns,
                  "Time that an instance may take, for instance 500ms or 2s (default: none)")
      ->transform(duration_ns());
}

void add_flow_options(CLI::App& command, PlanOptions& options) {
  add_window_option(command, options);
  add_deadline_option(command, options);
  add_buffers_option(command, options, ". throughput: the fewest that reach --max-period, or the placement's period",
                     {std::string(kFullBuffers), std::string(kLeastBuffers), std::string(kThroughputBuffers)},
                     "full, and a plan keeps its own");
  add_replicas_option(command, options);
  add_workers_option(command, options);
  add_isolation_options(command, options);
}

void add_flow_options_of_any_model(CLI::App& command, PlanOptions& options) {
  add_window_option(command, options);
  add_buffers_option(command, options, "", {std::string(kFullBuffers), std::string(kLeastBuffers)}, "full");
  add_replicas_option(command, options);
  add_workers_option(command, options);
  add_isolation_options(command, options);
}

}  // namespace woa
