// woa compare GRAPH: what every call model would send and take, and with --run what it does.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "compiler/compiler.h"
#include "library/certificate_report.h"
#include "library/cores.h"
#include "library/environment.h"
#include "library/local_run.h"
#include "library/machine_choice.h"
#include "library/option_values.h"
#include "library/plan_options.h"
#include "runtime/call_models/call_model.h"
#include "tools/woa/commands.h"
#include "tools/woa/comparison.h"
#include "tools/woa/failure.h"
#include "tools/woa/load_plan.h"
#include "tools/woa/profiler.h"
#include "tools/woa/progress.h"

namespace woa::tools {
namespace {

constexpr std::uint64_t kMostRepetitions = 1'000'000;

constexpr const char* kAboutCompare =
    R"(Places the graph anew for each call model (docs/call-models.md), as well as that model can be placed, and prints:

  MESSAGES       packets between controllers: tokens, polls, returns
  CALLS          the same if all that a firing sends to one place at once were one packet, as RPC may bundle it
  HOPS           messages one after another, at most, from source to sink
  PAYLOAD        bytes that cross, once per controller
  SERIAL         all firings and messages of an instance, one after another; what --objective latency minimises
  CRITICAL PATH  the longest way through the graph: less than SERIAL where branches may run side by side
  PERIOD         the largest load of a controller, a group of cores or a link: the least time between instances
  BUFFERS USED   memory for payloads and packets, if each block has held a payload of the profile's size
  RESERVED       addresses for them: each block has room for its port's `max`, and what nothing fills takes no memory
  STATUS         how sure it is that no placement is better (docs/placement.md)

and the break-even: at which latency of links and size of payloads RPC would be as good as WOA. The verdict stands
above the table; if WOA gains nothing, it says why. With --run every model runs at its placement, and what it sent and
took stands beside the prediction. By --objective latency instances run one after another, and TIME is CRITICAL PATH with
what it takes to wake controllers that sleep, or PERIOD if that is larger; KERNELS is their part of it. By --objective
throughput as many are in flight as --window takes, and TIME is PERIOD. ERROR compares TIME with the measurement.

Each model may take --placement-limit to be placed, and the break-even twice that.

Stage times come from --profile; without it the graph is profiled first (needs --in).

  woa compare graphs/hello.yaml --in text=README.md --run
  woa compare graphs/hello.yaml --profile hello.profile.json --machine graphs/machines/axel-loose.yaml)";

struct CompareArguments {
  GraphOptions graph;
  std::vector<std::string> in;
  LocalRunOptions local;
  bool run = false;
  std::uint64_t repetitions = 11;
  Cores cores;
};

// The placement's status, judged by the prediction. With copies, placement for rpc-nested counts an output's way back
// as one hop (compiler/place/legs.h). If it takes more, and stages could be elsewhere, another may be better.
std::string status_of(const Certificate& certificate) {
  const PlacementGoal& goal = certificate.goal;
  if (goal.copies == 1 || !call_model(goal.model).nested || !has_choice(certificate.costs)) return certificate.status;
  const bool as_counted = goal.objective == "latency" && certificate.prediction.serial_ps == certificate.value_ps;
  return as_counted ? certificate.status : "heuristic";
}

// A temporary profile for this command.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "woa-compare-XXXXXX").string()) {
    if (const int file = mkstemp(path_.data()); file >= 0) close(file);  // else writing to it says why not
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

class Comparer {
 public:
  explicit Comparer(const CompareArguments& arguments)
      : arguments_(arguments), options_(arguments.graph), backends_(all_backends()) {
    options_.transport = transport_of(arguments.local.processes);
  }

  int compare() {
    if (arguments_.in.empty() && (arguments_.run || options_.profile.empty())) return refuse_without_inputs();
    if (const Status status = check_processors(arguments_.cores); !status.ok())
      return fail(status, kUnavailable, options_.json);
    if (const int code = find_profile(); code != kDone) return code;
    for (const std::string_view model : kCallModels)
      if (const int code = add_model(model); code != kDone) return code;
    if (const int code = check_cores(); code != kDone) return code;
    result_.objective = options_.goal.objective;
    if (const auto machine = machine_file(options_.machine, print_warning_once)) result_.machine = machine->string();
    find_break_even();
    if (arguments_.run)
      if (const int code = run_models(); code != kDone) return code;
    options_.json ? print_json(to_json(result_)) : print(result_);
    return failed() ? kFailed : kDone;
  }

 private:
  // Only the graph knows the names that --in takes.
  int refuse_without_inputs() {
    GraphOptions options = options_;
    options.profile.clear();
    options.goal = {};
    const Loaded loaded = load(options);
    if (!loaded.plan) return loaded.exit_code;
    const Status missing = InputFiles::open(*loaded.plan, {}).status();
    const char* const why = arguments_.run ? "--run needs --in"
                                           : "the stages' times are unknown: give --profile FILE (`woa profile` "
                                             "writes one), or --in to profile first";
    return fail(missing.with_context(why), kUsage, options_.json);
  }

  int find_profile() {
    if (!options_.profile.empty()) return kDone;
    const Profiled profiled =
        profile_graph({options_, arguments_.in, arguments_.local, arguments_.repetitions, 10}, backends_);
    if (!profiled.profile) return profiled.exit_code;
    profiled_here_ = true;
    options_.profile = temporary_.path();
    if (const Status status = write_profile(options_.profile, to_json(*profiled.profile)); !status.ok())
      return fail(status, kFailed, options_.json);
    return kDone;
  }

  int add_model(std::string_view model) {
    GraphOptions options = options_;
    options.goal.model = model;
    options.quiet = model != kWoa;
    Loaded loaded = load(options);
    if (!loaded.plan && !loaded.diagnostics.empty() && options.quiet) {
      add_unplaced(model, loaded.diagnostics.front().text);
      return kDone;
    }
    if (!loaded.plan) return loaded.exit_code;
    if (loaded.facts.hash.empty()) {
      return fail(
          {Code::kInvalid, "a compiled plan has its stages in their places: give the graph that it was made of"},
          kUsage, options.json);
    }
    if (model == kWoa) woa_ = loaded.plan->certificate;
    result_.graph = loaded.plan->graph;
    ModelRow row;
    row.model = model;
    row.prediction = loaded.plan->certificate->prediction;
    row.status = status_of(*loaded.plan->certificate);
    row.modelled = modelled_stages(*loaded.plan);
    row.assumed_links = assumed_links(*loaded.plan->certificate);
    row.source_ps = loaded.plan->certificate->costs.stages[kSourceStage].time_ps[kHostComponent];
    row.has_unread = std::ranges::any_of(loaded.plan->certificate->costs.edges, &EdgeCosts::unread);
    row.has_shares =
        std::ranges::any_of(loaded.plan->edges, [](const EdgePlan& edge) { return edge.choice.replicas > 1; });
    // A throughput is that of `woa run`, with room for all workers.
    row.plan = options.goal.objective == "throughput" ? plan_for_here(*loaded.plan, model, arguments_.cores)
                                                      : rewrite(*loaded.plan, model);
    for (std::size_t s = 0; s < loaded.plan->stages.size(); ++s) {
      const StagePlan& stage = loaded.plan->stages[s];
      if (stage.role != StageRole::kKernel) continue;
      row.placement[stage.name] = loaded.plan->controllers[stage.controller].name;
      row.firings += static_cast<double>(loaded.plan->certificate->costs.stages[s].firings) / kPerMillion;
    }
    if (row.plan.ok()) row.buffers = buffer_bytes(*row.plan, *loaded.plan->certificate);
    result_.models.push_back(std::move(row));
    return kDone;
  }

  // The graph has a placement for woa, so only a bound can keep an RPC model from having one.
  void add_unplaced(std::string_view model, const std::string& why) {
    ModelRow row;
    row.model = model;
    row.placed = Status(Code::kExhausted, why);
    row.plan = row.placed;
    result_.models.push_back(std::move(row));
  }

  // Models may be placed on different controllers.
  int check_cores() {
    std::vector<const Plan*> plans;
    for (const ModelRow& row : result_.models)
      if (row.plan.ok()) plans.push_back(&*row.plan);
    const Status status = check_controllers(arguments_.cores, plans);
    return status.ok() ? kDone : fail(status, kUsage, options_.json);
  }

  void find_break_even() {
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(
        2 * std::chrono::nanoseconds(options_.placement_limit_ns));
    const Waiting waiting("looking for where RPC is as good", limit);
    result_.break_even = woa::find_break_even(*woa_, limit);
  }

  int run_models() {
    for (const ModelRow& row : result_.models)
      if (const Status status = row.plan.ok() ? check_runnable(*row.plan) : Status(); !status.ok())
        return fail(status.with_context("--run, " + row.model), kFailed, options_.json);
    const auto runnable = std::ranges::find_if(result_.models, [](const ModelRow& row) { return row.plan.ok(); });
    auto inputs = InputFiles::open(*runnable->plan, arguments_.in);  // the plan for woa can always run
    if (!inputs.ok())
      return fail(inputs.status(), inputs.status().code() == Code::kInvalid ? kUsage : kFailed, options_.json);
    if (!profiled_here_)  // else profiling has printed them
      for (const std::string& warning : inputs->warnings()) print_warning(warning);
    const std::uint64_t rounds = rounds_for(*runnable->plan, inputs->default_instances());
    for (ModelRow& row : result_.models) {
      if (!row.plan.ok()) continue;
      limit_threads_of_kernels(arguments_.local, *row.plan);
      row.measured = run(*row.plan, *inputs, rounds);
      const Status& status = row.measured->status;
      if (status.code() == Code::kUnavailable) return fail(status.with_context(row.model), kUnavailable, options_.json);
    }
    return kDone;
  }

  // One to warm up; and for a throughput, enough to fill the window several times, and for a third of a second. The
  // same for all models.
  [[nodiscard]] std::uint64_t rounds_for(const Plan& plan, std::uint64_t round) const {
    constexpr std::uint64_t kWindows = 6, kMost = 20'000;
    constexpr double kLong_ps = 0.3e12, kTooLong_ps = 10e12;
    const std::uint64_t least = arguments_.repetitions + 1;
    if (!result_.is_of_throughput() || plan.window == 1) return least;
    double period_ps = 1;
    for (const ModelRow& row : result_.models)
      period_ps =
          std::max({period_ps, static_cast<double>(row.prediction.period_ps), static_cast<double>(row.source_ps)});
    const auto instances = std::clamp(static_cast<std::uint64_t>(kLong_ps / period_ps), kWindows * plan.window,
                                      std::max(kMost, kWindows * plan.window));
    const auto affordable = static_cast<std::uint64_t>(kTooLong_ps / period_ps);
    return std::max(least, (std::min(instances, affordable) + round - 1) / round);
  }

  ModelRun run(const Plan& plan, InputFiles& inputs, std::uint64_t rounds) {
    RunOptions options = local_run(arguments_.local, backends_);
    const std::unique_ptr<SharedMemory> transport = local_transport(arguments_.local);
    options.transport = transport.get();
    options.processors = processors_of(arguments_.cores, plan);
    return run_model(plan, inputs, std::move(options), rounds, result_.is_of_throughput());
  }

  [[nodiscard]] bool failed() const {
    return !agreement_of(result_).same || std::ranges::any_of(result_.models, [](const ModelRow& row) {
      return row.measured && !row.measured->status.ok();
    });
  }

  const CompareArguments& arguments_;
  GraphOptions options_;
  BackendRegistry backends_;
  TemporaryFile temporary_;
  bool profiled_here_ = false;
  std::optional<Certificate> woa_;
  Comparison result_;
};

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("compare", "Compare WOA with four kinds of RPC for a graph, predicted and measured");
  command.footer(kAboutCompare);
  auto arguments = std::make_shared<CompareArguments>();
  add_graph_options(command, arguments->graph, "GRAPH");
  add_flow_options_of_any_model(command, arguments->graph);
  add_placement_options(command, arguments->graph);
  for (const char* option :
       {"--objective", "--max-latency", "--max-period", "--max-price", "--max-power", "--copies", "--placement-limit"})
    command.get_option(option)->remove_needs(command.get_option("--profile"));  // --in serves as well
  add_input_option(command, arguments->in);
  command.add_flag("--run", arguments->run, "Run every model, too; needs --in");
  command.add_option("--repetitions", arguments->repetitions, "Repetitions of each input, after one uncounted run")
      ->transform(within(1, kMostRepetitions))
      ->capture_default_str();
  add_processes_option(command, arguments->local);
  add_cores_option(command, arguments->cores, "Pin controllers to processors: host=0,cpu:0=0-3,5; needs --run")
      ->needs(command.get_option("--run"));
  add_limit_options(command, arguments->local);
  command.callback([arguments, &action] { action = [arguments] { return Comparer(*arguments).compare(); }; });
}

}  // namespace woa::tools
