// Runs a plan: the library and the commands are built on it.
//
//     auto started = Run::start(plan, options, on_completion);
//     if (!started.ok()) return started.status();
//     Run& run = **started;
//     while (work) {
//       const Push push = run.submit(fill);
//       if (push == Push::kClosed) break;  // run.status() says why
//       if (push == Push::kBackPressured) run.wait();
//       run.do_work();
//     }
//     auto report = run.finish();
//
// One thread drives a run: every call below but cancel() comes from it, and callbacks come back on it. A process may
// have several runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/processor.h"
#include "runtime/base/status.h"
#include "runtime/call_models/fan_out.h"
#include "runtime/controller/activity.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/kernel_library.h"
#include "runtime/controller/stats.h"
#include "runtime/node/host_backend.h"
#include "runtime/node/join_listener.h"
#include "runtime/node/segments.h"
#include "runtime/plan/kernel_declaration.h"
#include "runtime/plan/plan.h"
#include "runtime/transport/idle.h"
#include "runtime/transport/transports.h"

namespace woa {

// Why an instance failed: the first failure that reached the sink (rule 6).
struct Failure {
  Code code = Code::kOk;
  std::string stage;  // that failed; empty: the run itself
  std::string message;
};

// How one instance ended. Spans are borrowed until the callback returns; outputs longer, if it calls Run::keep().
struct Completion {
  std::uint64_t instance = 0;
  std::uint64_t latency_ns = 0;          // from submit() to here
  std::span<const GraphOutput> outputs;  // by output of the graph; none if it failed
  const Failure* failure = nullptr;      // null: it succeeded
};
using OnCompletion = std::function<void(const Completion&)>;

struct RunOptions {
  // Pointers are borrowed: what they name must outlive the run.
  const BackendRegistry* backends = nullptr;  // required
  SharedMemory* transport = nullptr;          // required; one that crosses processes if node_command is given
  // For controllers that share no memory. The first wire serves those that share none with any other: those of `apart`
  // (numbers in the plan; the host's own and unknown ones mean nothing) and nodes that joined. Packets of bound lanes
  // take their lane's wire, wherever their ends are. May be empty if nothing needs one. Nodes have the same wires, in
  // this order.
  std::vector<Wire*> wires;
  std::set<std::uint32_t> apart;
  BoundLanes lanes;
  bool payload_crc = true;         // a CRC follows every payload that takes a wire, and its reader checks it
  FanOut fan_out = FanOut::kAuto;  // how outputs reach readers of several other sites
  // Command that serves a node (see serve_node()); its control socket's descriptor is appended. Empty: one process, a
  // thread each.
  std::vector<std::string> node_command;
  std::vector<std::filesystem::path> kernel_path;  // folders of <kernel>/kernel.yaml
  // Reads the declarations of a kernel.yaml: the compiler's read_declaration(). Needed for plans that the compiler
  // made, whose kernels are compared before anything of theirs runs; processes of nodes bring their own.
  ReadDeclaration read_declaration;
  // Kernels of this program, by StagePlan::program_kernel - 1. Only for nodes that are threads.
  std::vector<ProgramKernel> program_kernels;
  bool brief_program_kernels_here = false;  // isolated ones run in this process where firings are brief
  std::uint64_t trace_limit = 0;            // events kept for a trace; later ones are only counted; 0: no trace
  // How all controllers wait. Absent: default_waits() (waiting.h).
  std::optional<IdleOptions> idle;
  // Processors that the controllers' loops, and their workers, are pinned to, by controller; none or absent: not
  // pinned. The caller drives the host's controller, and pins its own thread: the host's entry only stands in the
  // report. A node that joined may have processors of its own choice.
  std::vector<Processors> processors;
  // Bytes that payloads, and kernels in processes of nodes, may take on this host: where they take more, fewer
  // instances run at once. 0: half of available_bytes() at the start (MemoryLimit).
  std::uint64_t memory = 0;
  // Time limits beside the instances: until every node is ready; and, when the last instance is complete, until every
  // node has reported its counts (a kernel of a failed instance may still run).
  std::uint64_t start_ns = 60'000'000'000, end_ns = 10'000'000'000;
};

struct ControllerReport {
  DeviceDescription device;
  ControllerStats stats;
  std::vector<TraceEvent> trace;
  Processors processors = {};         // that its loop was pinned to
  RegionNumbers staged = {};          // whose payloads the back-end copies by way of memory of its own: Backend::map()
  std::uint32_t lacking_workers = 0;  // of the device's: the system refused their threads, or memory for them
  bool counted = true;     // false: it was still inside a kernel after RunOptions::end_ns; stats and trace are missing
  bool elsewhere = false;  // of a node that joined
};

// How the run used its window, memory and the processors.
struct RunUse {
  std::uint64_t full_ns = 0;  // as many instances were in flight as the window has
  std::uint64_t held_ns = 0;  // instances waited to begin, since the run took more than RunOptions::memory
  std::uint64_t memory = 0, most_memory = 0;  // bytes that payloads and nodes' kernels took, and might take
  ProcessorUse processors;                    // of this process and of those of nodes on this host
  std::uint64_t all_ns = 0;                   // that the processors which this process may use worked, for any program
  std::size_t usable = 1;                     // usable_processors() of this process
};

struct RunReport {
  RunUse use;
  std::vector<ControllerReport> controllers;  // by controller of the plan
  std::vector<EdgeStats> edges;               // by edge, summed over controllers
  std::vector<std::uint64_t> packets;         // by wire: Wire::packets(), summed over processes
};

class Run {
 public:
  // Starts nodes and devices; nothing fires yet. The plan is taken by value and validated. `joined`: nodes on this or
  // other hosts that serve their controllers instead (JoinListener::admit()), with kernels from folders of their own;
  // needs options.node_command, for the other controllers, and a wire.
  // kInvalid: the plan breaks a rule (or would, with the trees of options.fan_out); nodes joined without those options;
  // a lane that the plan does not name, or a wire that does not exist. kUnsupported: check_runnable(), or
  // with options.node_command check_movable(). kUnavailable: a device, kernel or peer is missing, or not ready in time
  // (the message names the controller and the reason). kExhausted: a limit of the system, on memory, open files,
  // processes or threads.
  static Result<std::unique_ptr<Run>> start(Plan plan, RunOptions options, OnCompletion on_completion,
                                            JoinedNodes joined = {});
  // Ends nodes at once; leaves no process or memory behind. If nodes are threads, waits for the kernels that they run:
  // stop_within() says whether that would take long.
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // `fill` and the completion callback must not throw.
  // Admits the next instance; it begins at once, or when payloads take less memory. kBackPressured: `window` instances
  // are in flight; call do_work() or wait() and try again. kClosed: the run has failed (status()). `fill` is called
  // from do_work() or submit(). `timeout_ns`: of this instance alone, from now on; 0: the plan's.
  [[nodiscard]] Push submit(FillInput fill, std::uint64_t timeout_ns = 0);
  // Drives the host's controller; completions are called from here. Returns how much it did.
  std::size_t do_work();
  // A step of waiting, after a do_work() that found nothing: spins or yields, and later blocks until there may be work
  // (a packet, the end of a node), wake() is called or 20 ms have passed; `most_ns` at most. `look_again`: true if
  // there is work of the program's own after all; asked before it blocks.
  void wait(std::uint64_t most_ns = ~std::uint64_t{0}, const std::function<bool()>& look_again = nullptr);
  // Ends a wait() that blocks. Any thread.
  void wake() const noexcept;
  [[nodiscard]] std::uint64_t in_flight() const noexcept;
  // The oldest instance that holds a place in the window: submit() takes numbers below it plus the window.
  [[nodiscard]] std::uint64_t oldest() const noexcept;
  // From the completion callback of an instance that succeeded: its outputs stay as they are until give_back(), or the
  // run's end. Its place in the window stays taken, and so do the blocks that edges reserve for the oldest instance: a
  // plan with the least blocks runs no other until then.
  void keep() noexcept;
  // False: the instance's outputs are not kept.
  bool give_back(std::uint64_t instance) noexcept;
  // Fails one instance with kCancelled; kernels that run for it run to their ends. False: it is not in flight.
  bool cancel(std::uint64_t instance, const std::string& why);
  // Ends the run as a failure would, with status kCancelled and `why`. Any thread, but not from a signal's handler.
  void cancel(const std::string& why);
  // Stops the nodes, and waits for kernels that run in threads of this process, `limit_ns` at most. False: one still
  // runs, and the destructor would wait for it; the program can only end its process.
  [[nodiscard]] bool stop_within(std::uint64_t limit_ns);
  // Why the run cannot go on: kPeerLost or kDataLoss with the controller's name, kCancelled. Every instance in flight
  // was failed with it; the failure names the stage that ran it when its process died.
  [[nodiscard]] const Status& status() const noexcept;
  // Blocks: drives the instances in flight to their ends (callbacks come from here), then ends the nodes and waits for
  // their counts, RunOptions::end_ns at most. Call it once. An error is status().
  Result<RunReport> finish();
  // The plan that runs, to which the report's numbers refer: the given one, with the trees of its outputs to other
  // sites (fan_out_by_tree()).
  const Plan& plan() const noexcept;
  // The controllers that share memory, and the wires that channels take.
  const Sites& sites() const noexcept;
  // The kernels that run on this host; changes meanwhile. Any thread, as long as the run lives.
  std::span<const ActivitySlot> activity() const noexcept;
  // The device of a controller, as its node described it.
  const DeviceDescription& device(std::uint32_t controller) const;

 private:
  class Impl;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace woa
