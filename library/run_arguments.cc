#include "library/run_arguments.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "library/option_values.h"
#include "library/program_kernels.h"
#include "runtime/base/thread.h"

namespace woa {
namespace {

constexpr std::uint64_t kMostTraced = 10'000'000;  // a node sends what it traced in one message of at most 1 GiB

const std::map<std::string, FanOut> kFanOuts{{"auto", FanOut::kAuto}, {"flat", FanOut::kFlat}, {"tree", FanOut::kTree}};

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
  if (!arguments.trace.empty() || arguments.keeps_trace) options.trace_limit = arguments.trace_limit;
  if (!options.node_command.empty()) {
    std::ranges::copy(to_arguments(arguments.between), std::back_inserter(options.node_command));
    if (arguments.guard) options.node_command.emplace_back(kGuardOption);
  }
  return options;
}

}  // namespace

void add_run_options(CLI::App& command, RunArguments& arguments) {
  add_processes_option(command, arguments.local);
  add_transport_options(command, arguments.between, [&joining = arguments.joining] { return joining.nodes != 0; });
  add_wire_options(command, arguments.between);
  add_join_options(command, arguments.joining);
  add_cores_option(
      command, arguments.cores,
      "Pin controllers and their workers to processors: host=0,cpu:0=0-3,5; a node's own --cores goes before");
  add_memory_option(command, arguments.local);
  add_limit_options(command, arguments.local);
  command
      .add_option(
          "--fan-out", arguments.fan_out,
          "How an output reaches readers without shared memory: flat (the writer sends to each), tree (readers pass "
          "it on), auto (by number and size)")
      ->check(one_of({"auto", "flat", "tree"}))
      ->capture_default_str();
  command.add_flag("--no-payload-crc", arguments.no_payload_crc,
                   "Over libfabric: no CRC behind payloads; damage that TCP misses then gives wrong outputs");
  add_guard_option(command, arguments.guard);
  command.add_option("--trace", arguments.trace, "Write a Chrome trace (open it in Perfetto)")->type_name("FILE");
  command
      .add_option("--trace-limit", arguments.trace_limit,
                  "Events of each controller that the trace keeps: the first; later ones are counted")
      ->transform(within(1, kMostTraced))
      ->capture_default_str();
}

Status complete(RunArguments& arguments, const ParallelJob& job) {
  return complete(arguments.joining, job, arguments.local.processes == "per-controller", arguments.between);
}

Result<std::unique_ptr<OwnedRun>> OwnedRun::prepare(const Plan& plan, const RunArguments& arguments, ParallelJob& job,
                                                    const OnMessage& say) {
  if (arguments.local.processes == "per-controller")  // before nodes are waited for
    WOA_RETURN_IF_ERROR(check_movable(plan).with_context("--processes per-controller"));
  std::unique_ptr<OwnedRun> owned(new OwnedRun(arguments));
  {
    const SignalsBlocked blocked;  // libfabric has threads of its own
    WOA_ASSIGN_OR_RETURN(owned->transports_, transports_for(arguments));
  }
  WOA_RETURN_IF_ERROR(check_controllers(arguments.cores, {&plan}));
  WOA_RETURN_IF_ERROR(check_lanes(plan, owned->transports_.lanes).with_context("--lane"));
  WOA_ASSIGN_OR_RETURN(auto nodes,
                       await_nodes(arguments.joining, arguments.between, plan, arguments.local.start_ns, job, say));
  if (const Status status = check_processors(arguments.cores, plan, nodes); !status.ok()) {
    refuse(nodes, status);
    return status;
  }
  // Leave only after errors are reported: once the launcher is ending the job because a node failed, leave() gets no
  // reply.
  job.leave();
  owned->processes_ = arguments.local.processes;
  owned->plan_ = plan;
  owned->options_ = run_options(arguments, plan, owned->backends_, owned->transports_);
  if (arguments.program_kernels != "threads") {
    owned->options_.brief_program_kernels_here = arguments.program_kernels == "long";
    WOA_RETURN_IF_ERROR(send_program_kernels(owned->plan_, owned->options_.program_kernels,
                                             arguments.program_kernels == "processes", say));
  }
  owned->nodes_ = std::move(nodes);
  return owned;
}

Status OwnedRun::start(OnCompletion on_completion) {
  const SignalsBlocked blocked;  // libraries of devices have threads of their own
  auto run = Run::start(std::move(plan_), std::move(options_), std::move(on_completion), std::move(nodes_));
  if (run.ok()) run_ = std::move(*run);
  return run.status();
}

void OwnedRun::describe(RunResult& result) const {
  result.plan = &run_->plan();
  result.processes = processes_;
  result.transport = std::string(transports_.shared->name());
  result.providers = transports_.providers;
  result.sites = run_->sites();
}

}  // namespace woa
