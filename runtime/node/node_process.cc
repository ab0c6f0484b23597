#include "runtime/node/node_process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <optional>
#include <thread>

#include "runtime/base/log.h"
#include "runtime/base/processor.h"
#include "runtime/base/thread.h"
#include "runtime/node/activity_reports.h"
#include "runtime/node/control_socket.h"
#include "runtime/node/hosted_controller.h"
#include "runtime/node/messages.h"
#include "runtime/node/tcp_socket.h"
#include "runtime/plan/plan_file.h"

namespace woa {
namespace {

// Everything that one run needs in this process, in the order of its making.
struct Node {
  Plan plan;
  Layout layout;
  Segments segments;
  std::unique_ptr<Mapping> activity;  // what it runs, for the host
  std::unique_ptr<HostedController> hosted;
};

// Maps the memory where this node says what it runs: the host's, by the hello's first descriptor; elsewhere its own.
Status get_activity(std::vector<UniqueFd>& descriptors, SharedMemory& memory, Node& node) {
  const bool elsewhere = descriptors.empty();
  auto segment = elsewhere ? memory.allocate("activity", activity_bytes(node.plan))
                           : SharedSegment::open(descriptors.front().release(), activity_bytes(node.plan));
  if (!elsewhere) descriptors.erase(descriptors.begin());
  if (!segment.ok()) return segment.status();
  auto mapped = (*segment)->map(Access::kReadWrite);
  if (!mapped.ok()) return mapped.status();
  node.activity = std::move(*mapped);
  return {};
}

// Maps the site's memory: this controller's parts of the host's, or memory of its own if it is a site alone.
Status get_memory(const control::Hello& hello, std::vector<UniqueFd>& descriptors, SharedMemory& memory, Node& node) {
  const std::uint32_t site = node.layout.sites.site(hello.controller);
  const auto sizes = sizes_of_segments(node.layout, site);
  if (!sizes.ok()) return sizes.status();
  if (*sizes != hello.sizes)
    return {Code::kUnsupported, "the host needs another amount of memory for this plan; use one build for both"};
  const bool shared = site == node.layout.sites.site(kHostController);
  if (shared && descriptors.size() != 1)
    return {Code::kDataLoss, "the host sent no descriptor of the memory that it shares with this node"};
  auto segments = shared ? open_segments(node.layout, hello.controller, descriptors.front().release())
                         : allocate_segments(node.layout, site, memory);
  if (!segments.ok()) return segments.status();
  node.segments = std::move(*segments);
  return {};
}

// Receives the host's next word. kDeadlineExceeded: none came within `limit_ns`; 0: no limit, since a host and its
// children stop and end together.
Status hear_within(ControlSocket& socket, std::uint64_t limit_ns, control::FromHost& message,
                   std::vector<UniqueFd>* descriptors = nullptr) {
  limit_blocking(socket.descriptor(), limit_ns);
  Status status = socket.receive(message, descriptors);
  limit_blocking(socket.descriptor(), 0);
  if (status.code() != Code::kDeadlineExceeded) return status;
  return {status.code(), "the run's host has said nothing for " + std::to_string(limit_ns / 1'000'000'000) +
                             " s; is its process stopped?"};
}

// Makes this controller's replicas, tells the host of them, and connects them to the others'.
Status join_replicas(ControlSocket& socket, const control::Hello& hello, bool child, const Transports& transports,
                     Node& node) {
  WOA_RETURN_IF_ERROR(add_replicas(node.layout, hello.controller, transports, node.segments));
  WOA_RETURN_IF_ERROR(socket.send(control::FromNode(to_replicas(node.layout, node.segments))));
  control::FromHost answer;
  WOA_RETURN_IF_ERROR(hear_within(socket, child ? 0 : hello.start_ns, answer));
  if (const auto* stop = std::get_if<control::Stop>(&answer))
    return {Code::kCancelled, "the run did not begin: " + stop->why};
  const auto* const connect = std::get_if<control::Connect>(&answer);
  if (connect == nullptr) return {Code::kDataLoss, "the host was to say where the others are, and said something else"};
  // Before the run is ready it says only one thing more: that it failed.
  const auto given_up = [&] { return has_word(socket.descriptor()); };
  for (const control::Replicas& peer : connect->peers)
    WOA_RETURN_IF_ERROR(connect_replicas(peer, node.segments, transports, given_up));
  for (Wire* wire : transports.wires) wire->all_connected();
  return {};
}

Status check_wires(const Layout& layout, const Transports& transports) {
  std::size_t wires = wires_of(layout);
  for (const auto& [lane, wire] : layout.sites.lanes) wires = std::max<std::size_t>(wires, std::size_t{wire} + 1);
  if (wires <= transports.wires.size()) return {};
  return {Code::kInvalid, "the run takes " + std::to_string(wires) + " providers and this node has " +
                              std::to_string(transports.wires.size()) +
                              "; give it the run's --provider, and each --lane"};
}

Status set_up(ControlSocket& socket, const control::Hello& hello, std::vector<UniqueFd>& descriptors,
              const NodeProcess& process, Node& node) {
  const Transports& transports = process.transports;
  if (hello.packet_version != kPacketVersion || hello.kernel_abi != WOA_KERNEL_ABI) {
    return {Code::kUnsupported, "the host speaks packet version " + std::to_string(hello.packet_version) +
                                    " and kernel interface " + std::to_string(hello.kernel_abi) + ", this node " +
                                    std::to_string(kPacketVersion) + " and " + std::to_string(WOA_KERNEL_ABI) +
                                    "; use one build for both"};
  }
  auto plan = parse_plan(std::as_bytes(std::span(hello.plan)));
  if (!plan.ok()) return plan.status();
  node.plan = std::move(*plan);
  WOA_RETURN_IF_ERROR(check_runnable(node.plan));
  if (hello.controller >= node.plan.controllers.size())
    return {Code::kDataLoss, "the host named a controller that the plan lacks"};
  set_log_name(node.plan.controllers[hello.controller].name);
  node.layout = make_layout(node.plan, {hello.sites, transports.header_room(), hello.lanes, !hello.no_payload_crc});
  WOA_RETURN_IF_ERROR(check_wires(node.layout, transports));
  WOA_RETURN_IF_ERROR(get_activity(descriptors, *transports.shared, node));
  WOA_RETURN_IF_ERROR(get_memory(hello, descriptors, *transports.shared, node));
  if (wires_of(node.layout) != 0) WOA_RETURN_IF_ERROR(join_replicas(socket, hello, process.child, transports, node));
  HostedControllerSetup setup;
  setup.plan = &node.plan;
  setup.layout = &node.layout;
  setup.id = hello.controller;
  setup.backends = process.backends;
  setup.transports = transports;
  setup.segments = &node.segments;
  setup.kernel_path.assign(hello.kernel_path.begin(), hello.kernel_path.end());
  if (setup.kernel_path.empty()) setup.kernel_path = process.kernel_path;
  setup.read_declaration = process.read_declaration;
  setup.trace_limit = hello.trace_limit;
  setup.idle = hello.idle;
  setup.processors = !process.processors.empty() ? process.processors : hello.processors;
  // The run has checked those of its children, before it pinned itself and them with it.
  if (!process.child)
    for (const int processor : setup.processors) WOA_RETURN_IF_ERROR(check_processor(processor));
  if (node.plan.controllers[hello.controller].has_several_workers()) keep_kernels_to_one_thread();
  if (node.activity != nullptr) setup.activity = activity_of(node.plan, hello.controller, node.activity->bytes());
  auto hosted = HostedController::make(std::move(setup));
  if (!hosted.ok()) return hosted.status();
  node.hosted = std::move(*hosted);
  return {};
}

// For the run to say why a node lost another: it hears all nodes, one after the other.
constexpr std::uint64_t kVerdictNs = 2'000'000'000;

// Tells the run that this node cannot be set up. A node that lost another, or the run's host, may be the first to
// notice that it could not stay: then the run knows why, and may have said so before it went.
Status give_up(ControlSocket& socket, const Status& status) {
  (void)socket.send(to_failed(status));
  if (status.code() != Code::kPeerLost) return status;
  limit_blocking(socket.descriptor(), kVerdictNs);
  control::FromHost answer;
  const auto* const stop = socket.receive(answer).ok() ? std::get_if<control::Stop>(&answer) : nullptr;
  if (stop == nullptr || stop->why.empty()) return status;
  return {Code::kCancelled, "the run failed: " + stop->why};
}

// Shared by the listening thread and the node's own.
struct Signals {
  std::atomic<bool> stop{false};      // the host sent a stop
  std::atomic<bool> failed{false};    // and said why the run failed
  std::atomic<bool> finished{false};  // this node has reported; the host may go
  std::promise<void> gone;            // the host went, or said nothing for too long
};

// Listens to the host for a stop, or for its death, which no node survives.
void listen(ControlSocket& socket, Signals& signals, Doorbell doorbell, bool child) {
  control::FromHost message;
  Status heard;
  while ((heard = or_no_memory([&] { return socket.receive(message); })).ok()) {
    const auto* const stop = std::get_if<control::Stop>(&message);
    if (stop == nullptr) continue;
    if (!stop->why.empty()) {
      if (!child) log(LogLevel::kError, "the run failed: " + stop->why);  // a child's host logs it
      signals.failed.store(true);
    }
    signals.stop.store(true);
    doorbell.ring();
  }
  signals.gone.set_value();
  if (signals.finished.load()) return;
  if (heard.code() == Code::kExhausted) log(LogLevel::kError, heard.message());
  if (!child) log(LogLevel::kError, "the run's host is gone");  // nobody else tells the user of this node
  ::_exit(1);
}

// Receives the host's first word. Not 0: the exit code if it is no hello, which is then logged or sent to the host.
int hear_hello(ControlSocket& socket, const NodeProcess& process, control::FromHost& first,
               std::vector<UniqueFd>& descriptors) {
  const Status heard = hear_within(socket, process.hello_within_ns, first, &descriptors);
  if (heard.ok() && std::holds_alternative<control::Hello>(first)) return 0;
  if (heard.code() == Code::kExhausted) {  // there is a host, which reports it
    (void)socket.send(to_failed(heard));
    return 1;
  }
  const auto* const refused = heard.ok() ? std::get_if<control::Refused>(&first) : nullptr;
  if (refused != nullptr || heard.code() == Code::kDeadlineExceeded) {
    log(LogLevel::kError, refused != nullptr ? refused->why : heard.message());
    return 3;
  }
  log(LogLevel::kError, process.child ? "a node was started without a host; `woa run` starts nodes by itself"
                                      : "the run was given up before it began");
  return process.child ? 2 : 3;
}

}  // namespace

int serve_node(ControlSocket socket, const NodeProcess& process) {
  const ShortTurns turns;  // of the controller's thread and of all that it starts
  if (process.child) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  control::FromHost first;
  std::vector<UniqueFd> descriptors;
  if (const int code = hear_hello(socket, process, first, descriptors); code != 0) return code;
  const auto& hello = std::get<control::Hello>(first);
  Node node;
  if (Status status = or_no_memory([&] { return set_up(socket, hello, descriptors, process, node); }); !status.ok()) {
    if (process.child)  // a child's host reports it
      (void)socket.send(to_failed(status));
    else
      log(LogLevel::kError, give_up(socket, status).message());
    return 1;
  }
  if (Status status = socket.send(control::FromNode(to_ready(*node.hosted))); !status.ok()) {
    if (!process.child) log(LogLevel::kError, give_up(socket, status.with_context("the run's host is gone")).message());
    return 1;
  }
  Signals signals;
  std::future<void> gone = signals.gone.get_future();
  std::jthread listener;
  if (Status status = start_thread(listener, "listening to the run's host",
                                   [&] { listen(socket, signals, node.hosted->doorbell(), process.child); });
      !status.ok()) {
    (void)socket.send(to_failed(status));
    return 1;
  }
  std::optional<ActivityReports> reports;
  if (!process.child)
    reports.emplace(socket, node.plan, hello.controller,
                    activity_of(node.plan, hello.controller, node.activity->bytes()));
  const Status status = node.hosted->run(signals.stop);
  reports.reset();
  const ProcessorUse use = use_of_process();
  const Controller& controller = node.hosted->controller();
  signals.finished.store(true);
  // Once the host has read this it closes the socket, and the listener ends. A host that is gone has closed it already.
  const Status told = or_no_memory([&] {
    std::vector<std::uint64_t> packets = process.transports.packets();
    packets.resize(wires_of(node.layout));
    (void)socket.send(status.ok() ? to_report(controller.stats(), controller.trace(), packets, use)
                                  : to_failed(status));
    return Status();
  });
  if (!told.ok()) (void)socket.send(to_failed(told));
  // The host waits end_ns for all reports, and must not find that this node was less patient.
  const std::uint64_t patience_ns = kVerdictNs + (status.ok() ? hello.end_ns : 0);
  const bool silent = gone.wait_for(std::chrono::nanoseconds(patience_ns)) != std::future_status::ready;
  if (silent) (void)::shutdown(socket.descriptor(), SHUT_RDWR);  // ends the listener
  listener.join();
  if (!process.child && !status.ok() && !signals.failed.load()) log(LogLevel::kError, status.message());
  if (!process.child && silent && status.ok())
    log(LogLevel::kError, "the run's host has said nothing for " + std::to_string(patience_ns / 1'000'000'000) +
                              " s since this node's work was over; is its process stopped?");
  return status.ok() && !silent && !signals.failed.load() ? 0 : 1;
}

void decline(ControlSocket& socket, const Status& why) {
  (void)socket.send(to_failed(why));  // a host that is gone need not be told
}

}  // namespace woa
