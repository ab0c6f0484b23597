// Supervises the nodes of a run: starts them, hears from them, notices their death, ends them.
//
// Nodes are child processes (per-controller) or threads of this one (one process); the run does not see the difference.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/activity.h"
#include "runtime/node/control_socket.h"
#include "runtime/node/hosted_controller.h"
#include "runtime/node/join_listener.h"
#include "runtime/node/messages.h"

namespace woa {

// The setup that all nodes of a run share.
struct NodeSetup {
  const Plan* plan = nullptr;
  const Layout* layout = nullptr;
  const Segments* segments = nullptr;
  const BackendRegistry* backends = nullptr;
  Transports transports;
  std::vector<std::filesystem::path> kernel_path;
  ReadDeclaration read_declaration;
  std::vector<ProgramKernel> program_kernels;
  bool brief_program_kernels_here = false;
  std::uint64_t trace_limit = 0;       // events kept for a trace; later ones are only counted; 0: no trace
  std::vector<IdleOptions> waits;      // by controller
  std::vector<Processors> processors;  // that the controllers' loops are pinned to, by controller; none or absent: any
  // Command that serves a node: the control socket's descriptor is appended. Empty: nodes are threads of this process.
  std::vector<std::string> node_command;
  JoinedNodes joined;          // nodes that joined by themselves
  std::uint64_t start_ns = 0;  // limit from the first node's start until all are ready
  std::uint64_t end_ns = 0;    // longest wait of nodes for this process after their work
};

class Supervisor {
 public:
  explicit Supervisor(NodeSetup setup);
  // Ends whatever still runs: stop(), then, after a short grace, SIGKILL. Leaves no process behind.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // If channels take wires, call before start(): starts the nodes' processes, and connects every controller's replicas,
  // the host's among them, to the others'. Returns the first failure, with the controller's name. kUnsupported: the
  // nodes would be threads.
  Status connect();
  // Starts a node for every controller but the host and waits until all are ready. Returns the first failure, with the
  // controller's name. Rings `host` when something happened that the host's loop must check (failed()). kUnavailable:
  // after NodeSetup::start_ns some are not ready; the message names them.
  Status start(Doorbell host);
  // From now on a thread of its own notices deaths and failures, and rings the host. kExhausted: no descriptor or
  // thread left.
  Status watch();
  // The first failure of any node: kPeerLost if it died, and how. Cheap; any thread.
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  Status failure() const;
  // A controller, by its number, has lost another. The run then fails because of how that one ended, which is mostly
  // heard of a moment later; else because of this. Any thread.
  void lose(std::uint32_t controller, const Status& lost);
  // Fails the run for the caller's own reason. Any thread.
  void cancel(const Status& why);
  // The slots of all controllers, once nodes have been started.
  Activity activity() const noexcept;
  // The kernels that run now; on nodes that joined, those that run for long (activity_reports.h). Any thread.
  std::vector<RunningKernel> running() const;
  // The kernels of the node whose death was the first failure.
  std::vector<RunningKernel> ran_at_death() const;
  // Bytes that the other controllers of this host have written in memory of their own: regions that nobody else sees,
  // and in processes all that their kernels allocate. From start() to stop(); the thread that calls those.
  [[nodiscard]] std::uint64_t own_bytes() const noexcept;
  // After Controller::end(): waits for every node's report, by controller (the host's place stays empty). At
  // `deadline_ns` returns without those of nodes still inside a kernel; their `counted` is false.
  Result<std::vector<NodeReport>> collect(std::uint64_t deadline_ns);
  // After collect(): ends the devices of this process's controllers that have reported, with their worker processes.
  // One that a kernel still keeps ends with the supervisor.
  void end_devices();
  // The device that a ready node described, by controller.
  const DeviceDescription& device(std::uint32_t controller) const { return nodes_[controller].report.device; }
  // Tells the nodes to stop, and why if the run failed, and waits for those that are threads. From then on nothing
  // rings the host. Idempotent.
  void stop(const Status& why = {});
  // Tells the nodes to stop, and waits for kernels that run in threads of this process, `limit_ns` at most. False: one
  // is still running, and stop() would wait for it.
  [[nodiscard]] bool stop_within(std::uint64_t limit_ns);

 private:
  struct Node {
    std::string name;
    pid_t pid = -1;                            // of a child
    std::string address;                       // of a node that joined
    std::optional<ControlSocket> socket;       // a process
    std::unique_ptr<HostedController> hosted;  // or a thread
    std::jthread thread;
    NodeReport report;
    bool reported = false;
    bool driven = false;                 // a thread is in its loop
    bool ended = false;                  // its process said nothing more, and its exit status was asked for
    std::uint64_t stopped_since_ns = 0;  // its process was seen stopped first; 0: it is not
    bool stop_told = false;
  };
  Status share_activity();
  Activity activity(std::uint32_t controller) const;
  Status engage(std::uint32_t controller);  // has a process serve the controller, and sends it the hello
  Status spawn(std::uint32_t controller);
  Status hear(std::uint32_t controller, control::FromNode& message);
  // readiness.cc
  std::optional<std::uint32_t> first_ended() const;
  Status why_it_ended(std::uint32_t controller);
  Status why_not_connected(std::uint32_t controller, const Status& status);
  Status await_word(std::uint32_t controller);
  Status await_all_ready();
  Status not_ready() const;
  Status start_thread(std::uint32_t controller);
  Status how_lost(std::uint32_t controller);
  Status in_context(std::uint32_t controller, const Status& status) const;
  Status await_ready(std::uint32_t controller);
  void probe_devices() const;
  Status make_hosted(std::uint32_t controller);
  Status watch_processes(const std::stop_token& stop);
  int ms_to_verdict();
  void look_for_stopped();
  void wake_watcher() const;
  void on_message(std::uint32_t controller);
  void on_thread_end(std::uint32_t controller, const Status& status);
  void fail(std::uint32_t controller, const Status& status);
  void reap();
  bool all_reported() const;

  NodeSetup setup_;
  Doorbell host_;
  // The kernels that run, written by the nodes on this host, and by their workers until these have ended.
  std::shared_ptr<SharedSegment> activity_;
  std::unique_ptr<Mapping> activity_map_;
  std::vector<Node> nodes_;      // by controller
  std::vector<pid_t> children_;  // that start() started: nodes_ forgets those that end
  std::atomic<bool> stop_{false};
  bool told_ = false;  // nodes were told to stop
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;  // guards failure_, lost_, ran_at_death_ and the nodes' reports
  std::condition_variable changed_;
  Status failure_;
  Status lost_;                      // the first loss of another controller that was told
  std::uint64_t lost_since_ns_ = 0;  // 0: none was
  std::vector<RunningKernel> ran_at_death_;
  std::uint64_t ready_by_ns_ = 0;  // 0: no node has been started
  UniqueFd wake_;                  // ends the watching thread's poll
  std::jthread watcher_;
};

}  // namespace woa
