// woa run GRAPH|PLAN: a user of the public API, nothing more.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/compiler.h"
#include "library/cores.h"
#include "library/environment.h"
#include "library/joining.h"
#include "library/local_run.h"
#include "library/option_values.h"
#include "library/plan_options.h"
#include "library/transports.h"
#include "runtime/base/clock.h"
#include "runtime/base/file.h"
#include "runtime/base/processor.h"
#include "runtime/base/text.h"
#include "runtime/call_models/call_model.h"
#include "runtime/node/run.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/interruption.h"
#include "tools/woa/kernel_watch.h"
#include "tools/woa/load_plan.h"
#include "tools/woa/process.h"
#include "tools/woa/progress.h"
#include "tools/woa/run_page.h"
#include "tools/woa/run_result.h"

namespace woa::tools {
namespace {

constexpr std::uint64_t kStuckNs = 250'000'000;  // for a kernel to end after everything has been reported

void say(const std::string& what) { std::fprintf(stderr, "woa: %s\n", what.c_str()); }

constexpr std::uint64_t kMostTraced = 10'000'000;  // a node sends what it traced in one message of at most 1 GiB

struct RunArguments {
  GraphOptions graph;
  LocalRunOptions local;
  std::string fan_out = "auto", trace, page;
  std::uint64_t trace_limit = 250'000;
  TransportOptions between;
  JoinArguments joining;
  Cores cores;
  std::vector<std::string> in, out, frames;
  bool no_payload_crc = false;
  std::uint64_t instances = 0;  // 0: as many as input files or frames
};

const std::map<std::string, FanOut> kFanOuts{{"auto", FanOut::kAuto}, {"flat", FanOut::kFlat}, {"tree", FanOut::kTree}};

RunOptions run_options(const RunArguments& arguments, const Plan& plan, const BackendRegistry& backends,
                       const OwnedTransports& transports) {
  RunOptions options = local_run(arguments.local, backends);
  options.transport = transports.shared.get();
  options.wires = transports.get().wires;
  options.lanes = transports.lanes;
  options.payload_crc = !arguments.no_payload_crc;
  for (std::uint32_t c = 0; arguments.between.transport == "ofi" && c < plan.controllers.size(); ++c)
    options.apart.insert(c);
  options.processors = processors_of(arguments.cores, plan);
  options.fan_out = kFanOuts.at(arguments.fan_out);
  if (!arguments.trace.empty()) {
    options.trace_limit = arguments.trace_limit;
  } else if (!arguments.page.empty()) {
    options.trace_limit = kPageEvents;
  }
  if (!options.node_command.empty())
    std::ranges::copy(to_arguments(arguments.between), std::back_inserter(options.node_command));
  return options;
}

// Threads of one process need no other way to each other than its memory.
Result<OwnedTransports> transports_for(const RunArguments& arguments) {
  const TransportOptions& between = arguments.between;
  if (arguments.no_payload_crc && between.transport != "ofi" && between.lanes.empty() && !between.hosts)
    return {Code::kInvalid,
            "--no-payload-crc: only what goes over libfabric has a CRC; add --transport ofi, --lane or --nodes"};
  if (arguments.local.processes == "per-controller") return make_transports(between);
  if (between.transport == "ofi" || !between.lanes.empty() || !between.interface.empty())
    return {Code::kInvalid,
            "--transport ofi, --lane and --interface: libfabric joins processes; use --processes per-controller"};
  OwnedTransports transports;
  transports.shared = local_transport(arguments.local);
  return transports;
}

// Everything that a completion adds to.
struct Collected {
  explicit Collected(OutputFiles files) : outputs(std::move(files)) {}
  CommandResult result;
  OutputFiles outputs;
  std::uint64_t completed = 0;

  void add(const Completion& completion) {
    if (completion.failure != nullptr && completion.failure->code == Code::kCancelled)
      return;  // neither done nor failed
    ++completed;
    if (completion.failure != nullptr) {
      result.failures.push_back({completion.instance, *completion.failure});
    } else {
      result.latencies.add(completion.latency_ns);
    }
    const std::uint64_t arrived = now_ns();
    outputs.add(completion.instance, completion.outputs);
    if (completion.failure == nullptr) result.turnarounds.add(completion.latency_ns + now_ns() - arrived);
  }

  [[nodiscard]] bool has_all() const { return completed == result.instances; }

  // Moves the files that take all instances to their places, if the run went to its end.
  void finish(const InputFiles& inputs) {
    result.outputs = outputs.finish(result.status.ok() && has_all());
    if (result.status.ok()) result.status = outputs.status();
    for (const auto& [instance, status] : outputs.unwritten())
      result.failures.push_back({instance, {status.code(), {}, status.message()}});
    std::ranges::sort(result.failures, {}, &FailedInstance::instance);
    for (FailedInstance& failed : result.failures) failed.inputs = inputs.of_instance(failed.instance);
    result.done = result.latencies.count() - outputs.unwritten().size();
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

// Submits every instance as fast as the window admits it; ends early if the results cannot be written.
void drive(Run& run, InputFiles& inputs, Collected& collected) {
  CommandResult& result = collected.result;
  Progress progress(result.instances == kEndless ? 0 : result.instances, "instances");
  const std::uint64_t started = now_ns();
  std::uint64_t next = 0;
  while (!collected.has_all() && run.status().ok() && collected.outputs.status().ok()) {
    bool late = false;
    const std::uint64_t before = std::exchange(next, submit_ready(run, inputs, next, result.instances, late));
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

// Adds to an interruption how many instances are done.
void count_what_is_done(CommandResult& result) {
  if (result.status.code() != Code::kCancelled) return;
  result.status = {Code::kCancelled, result.status.message() + ", " + std::to_string(result.done) + " of " +
                                         counted(result.instances, "instance") + " done"};
}

int report(const RunArguments& arguments, CommandResult& result) {
  if (result.status.ok() && result.report != nullptr && !arguments.trace.empty()) {
    result.status = write_trace(*result.plan, *result.report, arguments.trace);
  }
  if (!arguments.page.empty()) {
    const Status written = write_page(result, arguments.page).with_context("--report");
    if (result.status.ok()) result.status = written;
  }
  if (arguments.graph.json) print_json(to_json(result));
  print(result, !arguments.graph.json, !arguments.trace.empty());
  if (result.status.code() == Code::kCancelled) return Interruption::exit_code();
  return result.status.ok() && result.failures.empty() ? kDone : kFailed;
}

// Runs from the start of the nodes to their end.
int execute_over(const OwnedTransports& transports, const RunArguments& arguments, const Plan& plan, InputFiles& inputs,
                 JoinedNodes nodes, Collected& collected) {
  const bool wants_json = arguments.graph.json;
  CommandResult& result = collected.result;
  const BackendRegistry backends = all_backends();
  std::optional<ForeignOutput> foreign(std::in_place);
  auto run = Run::start(
      plan, run_options(arguments, plan, backends, transports),
      [&](const Completion& completion) {
        inputs.drop(completion.instance);
        collected.add(completion);
      },
      std::move(nodes));
  if (!run.ok()) {
    const bool absent = run.status().code() == Code::kUnavailable || run.status().code() == Code::kPeerLost;
    return fail(run.status(), absent ? kUnavailable : kFailed, wants_json);
  }
  const Interruption interruption(
      [&run = **run](const char* name) { run.cancel(std::string("interrupted by ") + name); });
  std::optional<KernelWatch> watch;
  if (arguments.local.processes == "one") watch.emplace(**run, wants_json);
  PinnedThread host;
  if (const Status status = host.pin(host_processor(arguments.cores)); !status.ok())
    return fail(status.with_context("--cores host"), kUnavailable, wants_json);
  const Status begun = collected.outputs.begin();  // an interruption has cancelled the run, too
  if (!begun.ok() && begun.code() != Code::kCancelled) return fail(begun, kFailed, wants_json);
  result.plan = &(*run)->plan();
  result.sites = (*run)->sites();
  drive(**run, inputs, collected);
  auto finished = (*run)->finish();
  result.status = finished.status();
  if (finished.ok()) result.report = &*finished;
  collected.finish(inputs);
  count_what_is_done(result);
  if (!collected.outputs.takes_stdout()) foreign.reset();
  const int code = report(arguments, result);
  foreign.emplace();  // kernels that end now may print
  if (!(*run)->stop_within(kStuckNs)) end_process(code);
  return code;
}

int execute(const RunArguments& arguments, const Plan& plan, InputFiles& inputs, ParallelJob& job,
            Collected& collected) {
  const bool wants_json = arguments.graph.json;
  const auto transports = transports_for(arguments);
  if (!transports.ok()) return fail(transports.status(), code_before_run(transports.status()), wants_json);
  if (const Status status = check_lanes(plan, transports->lanes); !status.ok())
    return fail(status.with_context("--lane"), kUsage, wants_json);
  CommandResult& result = collected.result;
  result.processes = arguments.local.processes;
  result.transport = std::string(transports->shared->name());
  result.providers = transports->providers;
  auto nodes = await_nodes(arguments.joining, arguments.between, plan, arguments.local.start_ns, job, say);
  if (!nodes.ok())
    return fail(nodes.status(), nodes.status().code() == Code::kUnavailable ? kUnavailable : kUsage, wants_json);
  if (const Status status = check_processors(arguments.cores, plan, *nodes); !status.ok()) {
    refuse(*nodes, status);
    return fail(status, kUnavailable, wants_json);
  }
  // Leave only after errors are reported: once the launcher is ending the job because a node failed, leave() gets no
  // reply.
  job.leave();
  const int code = execute_over(*transports, arguments, plan, inputs, std::move(*nodes), collected);
  if (code != kDone && !transports->wires.empty()) end_process(code);  // libfabric 1.17 may crash over a lost peer
  return code;
}

// An option of the wrong form is bad usage; a bad file behind it is bad input.
int exit_code(const Status& status) { return status.code() == Code::kInvalid ? kUsage : kFailed; }

int run_graph(const RunArguments& arguments, ParallelJob& job) {
  GraphOptions graph = arguments.graph;
  graph.transport = transport_of(arguments.local.processes);
  graph.written_files = given({{"--trace", arguments.trace}, {"--report", arguments.page}});
  Loaded loaded = load(graph);
  if (!loaded.plan) return loaded.exit_code;
  const bool wants_json = arguments.graph.json;
  auto plan = rewrite(*loaded.plan, loaded.plan->model);
  if (!plan.ok()) return fail(plan.status(), kFailed, wants_json);
  if (const Status status = check_runnable(*plan); !status.ok()) return fail(status, kFailed, wants_json);
  if (const Status status = check_controllers(arguments.cores, {&*plan}); !status.ok())
    return fail(status, kUsage, wants_json);
  auto frames = FrameRules::parse(arguments.frames, *plan);
  if (!frames.ok()) return fail(frames.status(), kUsage, wants_json);
  auto inputs = InputFiles::open(*plan, arguments.in, &*frames);
  if (!inputs.ok()) return fail(inputs.status(), exit_code(inputs.status()), wants_json);
  for (const std::string& warning : inputs->warnings()) print_warning(warning);
  const std::uint64_t instances = arguments.instances != 0 ? arguments.instances : inputs->default_instances();
  auto outputs = OutputFiles::open(*plan, arguments.out, *inputs, instances, &*frames);
  if (!outputs.ok()) return fail(outputs.status(), exit_code(outputs.status()), wants_json);
  if (const Status status = frames->check_used(); !status.ok()) return fail(status, kUsage, wants_json);
  if (wants_json && outputs->takes_stdout())
    return fail({Code::kInvalid, "--json: stdout has room for the object or for frames; give --out a named pipe"},
                kUsage, false);
  std::vector<ReadFile> read = std::move(loaded.read);
  std::ranges::copy(inputs->files(), std::back_inserter(read));
  read.push_back({"--secret", arguments.joining.secret});
  std::ranges::copy(outputs->files(), std::back_inserter(graph.written_files));
  if (const Status kept = check_kept(graph.written_files, read); !kept.ok()) return fail(kept, kUsage, wants_json);
  if (const Status status = arguments.trace.empty() ? Status() : check_writable(arguments.trace); !status.ok())
    return fail(status.with_context("--trace"), kFailed, wants_json);
  if (const Status status = arguments.page.empty() ? Status() : check_page(arguments.page); !status.ok())
    return fail(status.with_context("--report"), kFailed, wants_json);
  Collected collected(std::move(*outputs));
  collected.result.instances = instances;
  return execute(arguments, *plan, *inputs, job, collected);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("run", "Run a graph or a compiled plan on files");
  auto arguments = std::make_shared<RunArguments>();
  add_graph_options(command, arguments->graph, "GRAPH|PLAN");
  add_flow_options(command, arguments->graph);
  add_placement_options(command, arguments->graph);
  add_input_option(command, arguments->in);
  command
      .add_option("--out", arguments->out,
                  "Graph output: all instances in one file, or a file each where the name has %i (the instance's "
                  "number), %04i (with leading zeros) or %n (the name of the input's file); .npy files for arrays")
      ->type_name("NAME=FILE|DIR/%i.EXT")
      ->take_all()
      ->allow_extra_args(false);
  add_frames_option(command, arguments->frames);
  add_model_option(command, arguments->graph);
  command
      .add_option("--instances", arguments->instances,
                  "Number of instances (default: number of input files, frames of a pipe, or 1)")
      ->transform(positive());
  add_processes_option(command, arguments->local);
  add_transport_options(command, arguments->between, [&joining = arguments->joining] { return joining.nodes != 0; });
  add_wire_options(command, arguments->between);
  add_join_options(command, arguments->joining);
  add_cores_option(command, arguments->cores,
                   "Pin controllers to processors: host=0,cpu:0=0,cpu:1=1; a node's own --cores goes before");
  add_limit_options(command, arguments->local);
  command
      .add_option(
          "--fan-out", arguments->fan_out,
          "How an output reaches readers without shared memory: flat (the writer sends to each), tree (readers pass "
          "it on), auto (by number and size)")
      ->check(one_of({"auto", "flat", "tree"}))
      ->capture_default_str();
  command.add_flag("--no-payload-crc", arguments->no_payload_crc,
                   "Over libfabric: no CRC behind payloads; damage that TCP misses then gives wrong outputs");
  command
      .add_option("--report", arguments->page,
                  "Write the run as one HTML page: graph, timeline, times, latencies, machine")
      ->type_name("FILE");
  command.add_option("--trace", arguments->trace, "Write a Chrome trace (open it in Perfetto)")->type_name("FILE");
  command
      .add_option("--trace-limit", arguments->trace_limit,
                  "Events of each controller that the trace keeps: the first; later ones are counted")
      ->transform(within(1, kMostTraced))
      ->capture_default_str();
  command.callback([arguments, &action] {
    action = [arguments] {
      auto job = ParallelJob::find();
      if (!job.ok()) return fail(job.status(), code_before_run(job.status()), arguments->graph.json);
      const Status status = complete(arguments->joining, job->place(), arguments->local.processes == "per-controller",
                                     arguments->between);
      if (status.ok()) return run_graph(*arguments, *job);
      return fail(status, status.code() == Code::kUnavailable ? kUnavailable : kUsage, arguments->graph.json);
    };
  });
}

}  // namespace woa::tools
