// The options of a run, and what a run with them needs: transports, back-ends and nodes that join.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "library/cores.h"
#include "library/environment.h"
#include "library/joining.h"
#include "library/local_run.h"
#include "library/run_report.h"
#include "library/transports.h"
#include "runtime/base/children.h"
#include "runtime/node/parallel_job.h"
#include "runtime/node/run.h"

namespace woa {

struct RunArguments {
  LocalRunOptions local;
  std::string fan_out = "auto", trace;
  std::uint64_t trace_limit = 250'000;
  bool keeps_trace = false;  // for the report, with or without a file
  TransportOptions between;
  JoinArguments joining;
  Cores cores;
  bool no_payload_crc = false;
  // Options of woa.h alone: worker processes of the program's own kernels, and which of their firings run there: none;
  // all; or all but brief ones.
  Children::Program worker = {};
  std::string program_kernels = "threads";  // or "processes", "long"
  bool guard = false;                       // CpuOptions::guarded, for controllers of this machine
};
// All of them, from --processes to --trace-limit.
void add_run_options(CLI::App& command, RunArguments& arguments);
// kInvalid: options that contradict each other, or the job of a launcher that this process is in.
Status complete(RunArguments& arguments, const ParallelJob& job);

// A run with all that it borrows.
class OwnedRun {
 public:
  // All that a run of `plan`, which has been rewritten for its call model, needs before it starts, by `arguments` that
  // are complete. Blocks until nodes have joined, too. Leaves the job. `say` takes what a person should know meanwhile.
  // kInvalid, kNotFound: an option names what this machine or the plan does not have. kUnavailable, kUnsupported: a
  // transport, nodes or a processor cannot be had.
  static Result<std::unique_ptr<OwnedRun>> prepare(const Plan& plan, const RunArguments& arguments, ParallelJob& job,
                                                   const OnMessage& say);
  // Run::start(). Once, before all below.
  Status start(OnCompletion on_completion);

  Run& run() noexcept { return *run_; }
  // Sets what the run itself knows of its result.
  void describe(RunResult& result) const;
  [[nodiscard]] bool has_wires() const noexcept { return !transports_.wires.empty(); }

 private:
  explicit OwnedRun(const RunArguments& arguments) : backends_(all_backends(arguments.guard, arguments.worker)) {}
  BackendRegistry backends_;
  std::string processes_;
  OwnedTransports transports_;
  Plan plan_;  // until start(), as the two below
  RunOptions options_;
  JoinedNodes nodes_;
  std::unique_ptr<Run> run_;  // goes first
};

}  // namespace woa
