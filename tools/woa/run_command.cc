// woa run GRAPH|PLAN: feeds a run of the library, and keeps what it answers.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "library/plan_options.h"
#include "library/run_arguments.h"
#include "runtime/base/clock.h"
#include "runtime/base/file.h"
#include "runtime/base/processor.h"
#include "runtime/base/text.h"
#include "runtime/call_models/call_model.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/interruption.h"
#include "tools/woa/kernel_watch.h"
#include "tools/woa/literal.h"
#include "tools/woa/load_plan.h"
#include "tools/woa/process.h"
#include "tools/woa/progress.h"
#include "tools/woa/run_page.h"
#include "tools/woa/run_result.h"

namespace woa::tools {
namespace {

constexpr std::uint64_t kStuckNs = 250'000'000;  // for a kernel to end after everything has been reported

void say(const std::string& what) { std::fprintf(stderr, "woa: %s\n", what.c_str()); }

struct CommandArguments {
  GraphOptions graph;
  RunArguments run;
  std::string page;
  std::vector<std::string> in, out, frames;
  std::uint64_t instances = 0;         // 0: as many as input files or frames
  std::uint64_t waiting = 256U << 20;  // bytes of outputs that wait for an earlier instance
  bool chooses_objective = false;      // a graph is placed by a profile, and nobody said what for
};

// Everything that a completion adds to.
struct Collected {
  explicit Collected(OutputFiles files) : outputs(std::move(files)) {}
  CommandResult result;
  OutputFiles outputs;
  std::uint64_t completed = 0;

  void add(Run& run, const Completion& completion) {
    if (completion.failure != nullptr && completion.failure->code == Code::kCancelled)
      return;  // neither done nor failed
    ++completed;
    if (completion.failure != nullptr) {
      ++result.failed;
      if (result.failures.size() < kKeptFailures) result.failures.push_back({completion.instance, *completion.failure});
    } else {
      result.latencies.add(completion.latency_ns);
    }
    if (completion.failure != nullptr && completion.failure->code == Code::kPeerLost)
      return;  // the run's end took it: what follows it is not in order any more
    const std::uint64_t arrived = now_ns();
    outputs.add(run, completion.instance, completion.outputs);
    if (completion.failure == nullptr) result.turnarounds.add(completion.latency_ns + now_ns() - arrived);
  }

  [[nodiscard]] bool has_all() const { return completed == result.instances; }

  // Moves the files that take all instances to their places, if the run went to its end.
  void finish(const InputFiles& inputs) {
    result.files = outputs.finish(result.status.ok() && has_all());
    if (result.status.ok()) result.status = outputs.status();
    for (const auto& [instance, status] : outputs.unwritten())
      result.failures.push_back({instance, {status.code(), {}, status.message()}});
    std::ranges::sort(result.failures, {}, &FailedInstance::instance);
    result.failures.resize(std::min(result.failures.size(), kKeptFailures));
    result.failed += outputs.unwritten_count();
    for (FailedInstance& failed : result.failures) failed.inputs = inputs.of_instance(failed.instance);
    result.done = result.latencies.count() - outputs.unwritten_count() - outputs.out_of_order_count();
    if (!result.status.ok()) {
      result.so_far = ", " +
                      (result.instances == kEndless
                           ? counted(result.done, "instance")
                           : std::to_string(result.done) + " of " + counted(result.instances, "instance")) +
                      " done" + outputs.kept();
    }
  }
};

constexpr std::uint64_t kLookNs = 200'000;  // for a frame, while instances are in flight
constexpr int kLookMs = 20;                 // for the end of a run, while none is

// Submits the instances whose inputs are there, as far as the window admits them. `late`: a stream is waited for.
std::uint64_t submit_ready(Run& run, InputFiles& inputs, std::uint64_t next, std::uint64_t& instances, bool& late) {
  for (late = false; next < instances; ++next) {
    const InputStream::State state = inputs.look(next);
    if (state == InputStream::State::kEnd) instances = next;
    late = state == InputStream::State::kLater;
    if (state != InputStream::State::kFrame) break;
    const Push push = run.submit([&inputs, instance = next](std::uint32_t input, std::span<std::byte> room) {
      return inputs.read(input, instance, room);
    });
    if (push != Push::kOk) break;
  }
  return next;
}

// Submits every instance as fast as the window admits it, and none while more than `most_waiting` bytes of outputs wait
// for an earlier one. Ends early if the results cannot be written.
void drive(Run& run, InputFiles& inputs, Collected& collected, std::uint64_t most_waiting) {
  CommandResult& result = collected.result;
  Progress progress(result.instances == kEndless ? 0 : result.instances, "instances");
  const std::uint64_t started = now_ns();
  std::uint64_t next = 0;
  while (!collected.has_all() && run.status().ok() && collected.outputs.status().ok()) {
    bool late = false;
    const std::uint64_t before = next;
    if (collected.outputs.waiting_bytes() <= most_waiting)
      next = submit_ready(run, inputs, next, result.instances, late);
    if (run.do_work() == 0 && next == before) {
      collected.outputs.flush();
      if (late && run.in_flight() == 0) {
        inputs.wait(kLookMs);
      } else {
        run.wait(late ? kLookNs : ~std::uint64_t{0});
      }
    }
    progress.update(collected.completed);
  }
  if (result.instances == kEndless) result.instances = next;  // interrupted
  result.wall_s = static_cast<double>(now_ns() - started) / 1e9;
}

int report(const CommandArguments& arguments, CommandResult& result) {
  if (result.status.ok() && result.report != nullptr && !arguments.run.trace.empty()) {
    result.status = write_trace(*result.plan, *result.report, arguments.run.trace);
  }
  if (!arguments.page.empty()) {
    const Status written = write_page(result, arguments.page).with_context("--report");
    if (result.status.ok()) result.status = written;
  }
  if (arguments.graph.json) print_json(to_json(result));
  print(result, !arguments.graph.json, !arguments.run.trace.empty());
  if (result.status.code() == Code::kCancelled) return Interruption::exit_code();
  return result.status.ok() && result.failed == 0 ? kDone : kFailed;
}

int code_of_preparation(const Status& status) {
  return status.code() == Code::kNotFound ? kUsage : code_before_run(status);
}

int code_of_start(const Status& status) {
  return status.code() == Code::kUnavailable || status.code() == Code::kPeerLost ? kUnavailable : kFailed;
}

// Runs the instances, and collects what the run counted.
Status run_all(OwnedRun& owned, InputFiles& inputs, Collected& collected, std::uint64_t most_waiting,
               std::optional<RunReport>& counted) {
  Run& run = owned.run();
  CommandResult& result = collected.result;
  owned.describe(result);
  const Status begun = collected.outputs.begin();
  if (!begun.ok() && begun.code() != Code::kCancelled) return begun;  // an interruption has cancelled the run, too
  drive(run, inputs, collected, most_waiting);
  auto finished = run.finish();
  result.status = finished.status();
  if (finished.ok()) result.report = &counted.emplace(std::move(*finished));
  collected.finish(inputs);
  return {};
}

int execute(const CommandArguments& arguments, const Plan& plan, InputFiles& inputs, ParallelJob& job,
            Collected& collected) {
  const bool wants_json = arguments.graph.json;
  limit_threads_of_kernels(arguments.run.local, plan);
  auto owned = OwnedRun::prepare(plan, arguments.run, job, say);
  if (!owned.ok()) return fail(owned.status(), code_of_preparation(owned.status()), wants_json);
  std::optional<ForeignOutput> foreign(std::in_place);
  const Status started = (*owned)->start([&](const Completion& completion) {
    inputs.drop(completion.instance);
    collected.add((*owned)->run(), completion);
  });
  if (!started.ok()) return fail(started, code_of_start(started), wants_json);
  Run& run = (*owned)->run();
  const Interruption interruption([&run](const char* name) { run.cancel(std::string("interrupted by ") + name); });
  std::optional<KernelWatch> watch;
  if (arguments.run.local.processes == "one") watch.emplace(run, wants_json);
  PinnedThread host;
  if (const Status status = host.pin(host_processors(arguments.run.cores)); !status.ok())
    return fail(status.with_context("--cores host"), kUnavailable, wants_json);
  std::optional<RunReport> counted;
  if (const Status status = run_all(**owned, inputs, collected, arguments.waiting, counted); !status.ok())
    return fail(status, kFailed, wants_json);
  if (!collected.outputs.takes_stdout()) foreign.reset();
  const int code = report(arguments, collected.result);
  foreign.emplace();  // kernels that end now may print
  // A kernel that runs still would be waited for; libfabric 1.17 may crash over a lost peer.
  if (!run.stop_within(kStuckNs) || (code != kDone && (*owned)->has_wires())) end_process(code);
  return code;
}

// An option of the wrong form is bad usage; a bad file behind it is bad input.
int exit_code(const Status& status) { return status.code() == Code::kInvalid ? kUsage : kFailed; }

// True if the run is meant for more than one instance. Nothing is opened: streams are read once.
bool runs_many(const CommandArguments& arguments) {
  if (arguments.instances != 0) return arguments.instances > 1;
  return std::ranges::any_of(arguments.in, [](const std::string& input) {
    const std::string from = input.substr(std::min(input.find('='), input.size() - 1) + 1);
    if (is_literal(from)) return false;
    std::error_code absent;
    const auto type = std::filesystem::status(from, absent).type();
    return from == "-" || from.find('%') != std::string::npos || type == std::filesystem::file_type::directory ||
           type == std::filesystem::file_type::fifo;
  });
}

int run_graph(const CommandArguments& arguments, ParallelJob& job) {
  GraphOptions graph = arguments.graph;
  if (arguments.chooses_objective && runs_many(arguments)) graph.goal.objective = "throughput";
  graph.transport = transport_of(arguments.run.local.processes);
  graph.nodes = std::min<std::size_t>(arguments.run.joining.nodes, kMostCpus);
  graph.written_files = given({{"--trace", arguments.run.trace}, {"--report", arguments.page}});
  Loaded loaded = load(graph);
  if (!loaded.plan) return loaded.exit_code;
  const bool wants_json = arguments.graph.json;
  auto plan = plan_for_here(*loaded.plan, loaded.plan->model, arguments.run.cores);
  if (!plan.ok()) return fail(plan.status(), kFailed, wants_json);
  if (const Status status = check_runnable(*plan); !status.ok()) return fail(status, kFailed, wants_json);
  auto frames = FrameRules::parse(arguments.frames, *plan);
  if (!frames.ok()) return fail(frames.status(), kUsage, wants_json);
  auto inputs = InputFiles::open(*plan, arguments.in, &*frames);
  if (!inputs.ok()) return fail(inputs.status(), exit_code(inputs.status()), wants_json);
  for (const std::string& warning : inputs->warnings()) print_warning(warning);
  const std::uint64_t instances = arguments.instances != 0 ? arguments.instances : inputs->default_instances();
  auto outputs = OutputFiles::open(*plan, arguments.out, *inputs, instances, &*frames, wants_json);
  if (!outputs.ok()) return fail(outputs.status(), exit_code(outputs.status()), wants_json);
  if (const Status status = frames->check_used(); !status.ok()) return fail(status, kUsage, wants_json);
  if (wants_json && outputs->takes_stdout())
    return fail({Code::kInvalid, "--json: stdout has room for the object or for frames; give --out a named pipe"},
                kUsage, false);
  std::vector<ReadFile> read = std::move(loaded.read);
  std::ranges::copy(inputs->files(), std::back_inserter(read));
  read.push_back({"--secret", arguments.run.joining.secret});
  std::ranges::copy(outputs->files(), std::back_inserter(graph.written_files));
  if (const Status kept = check_kept(graph.written_files, read); !kept.ok()) return fail(kept, kUsage, wants_json);
  if (const Status status = arguments.run.trace.empty() ? Status() : check_writable(arguments.run.trace); !status.ok())
    return fail(status.with_context("--trace"), kFailed, wants_json);
  if (const Status status = arguments.page.empty() ? Status() : check_page(arguments.page); !status.ok())
    return fail(status.with_context("--report"), kFailed, wants_json);
  Collected collected(std::move(*outputs));
  collected.result.instances = instances;
  if (loaded.plan->certificate) collected.result.objective = loaded.plan->certificate->goal.objective;
  return execute(arguments, *plan, *inputs, job, collected);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("run", "Run a graph or a compiled plan on files");
  auto arguments = std::make_shared<CommandArguments>();
  add_graph_options(command, arguments->graph, "GRAPH|PLAN");
  add_flow_options(command, arguments->graph);
  add_placement_options(command, arguments->graph);
  const CLI::Option* const objective = command.get_option("--objective");
  add_input_option(command, arguments->in);
  command
      .add_option("--out", arguments->out,
                  "Graph output: all instances in one file, or a file each where the name has %i (the instance's "
                  "number), %04i (with leading zeros) or %n (the name of the input's file); .npy files for arrays")
      ->type_name("NAME=FILE|DIR/%i.EXT")
      ->take_all()
      ->allow_extra_args(false);
  add_frames_option(command, arguments->frames);
  command
      .add_option("--waiting", arguments->waiting,
                  "Submit no instance while so many bytes of outputs wait for an earlier one (default: 256MiB)")
      ->transform(bytes());
  add_model_option(command, arguments->graph);
  command
      .add_option("--instances", arguments->instances,
                  "Number of instances (default: number of input files, frames of a pipe, or 1)")
      ->transform(positive());
  command
      .add_option("--report", arguments->page,
                  "Write the run as one HTML page: graph, timeline, times, latencies, machine")
      ->type_name("FILE");
  add_run_options(command, arguments->run);
  command.callback([arguments, objective, &action] {
    arguments->chooses_objective =
        objective->count() == 0 && !arguments->graph.profile.empty() && !arguments->graph.goal.most_period_ps;
    action = [arguments] {
      auto job = ParallelJob::find();
      if (!job.ok()) return fail(job.status(), code_before_run(job.status()), arguments->graph.json);
      RunArguments& run = arguments->run;
      if (const Status status = complete(run, *job); !status.ok())
        return fail(status, status.code() == Code::kUnavailable ? kUnavailable : kUsage, arguments->graph.json);
      if (!arguments->page.empty() && run.trace.empty()) run.keeps_trace = true, run.trace_limit = kPageEvents;
      return run_graph(*arguments, *job);
    };
  });
}

}  // namespace woa::tools
