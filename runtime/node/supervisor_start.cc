// Starts a supervisor's nodes: processes of its own, nodes that joined, or threads; until all are ready, or one fails.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/thread.h"
#include "runtime/node/supervisor.h"
#include "runtime/node/tcp_socket.h"
#include "runtime/plan/plan_file.h"

extern char** environ;

namespace woa {
namespace {

constexpr int kNodeDescriptor = 3;  // the number of a node's control socket

Processors processors_of(const NodeSetup& setup, std::uint32_t controller) {
  return controller < setup.processors.size() ? setup.processors[controller] : Processors();
}

control::FromHost hello_for(const NodeSetup& setup, std::uint32_t controller) {
  control::Hello hello;
  hello.packet_version = kPacketVersion;
  hello.kernel_abi = WOA_KERNEL_ABI;
  hello.plan = serialize(*setup.plan);
  hello.controller = controller;
  if (!setup.joined.contains(controller)) {  // one that joined has folders of its own
    for (const auto& folder : setup.kernel_path) hello.kernel_path.push_back(folder.string());
  }
  hello.trace_limit = setup.trace_limit;
  hello.idle = setup.waits[controller];
  hello.processors = processors_of(setup, controller);
  const Sites& sites = setup.layout->sites;
  hello.sites = sites.of;
  hello.lanes = sites.lanes;
  hello.no_payload_crc = !sites.payload_crc;
  hello.end_ns = setup.end_ns;
  hello.start_ns = setup.start_ns;
  if (auto sizes = sizes_of_segments(*setup.layout, sites.site(controller)); sizes.ok())  // else allocation had failed
    hello.sizes = std::move(*sizes);
  return hello;
}

}  // namespace

// Allocates the memory where nodes on this host write which kernels they run, whatever their other memory is.
Status Supervisor::share_activity() {
  if (activity_ != nullptr) return {};
  auto segment = setup_.transports.shared->allocate("activity", activity_bytes(*setup_.plan));
  if (!segment.ok()) return segment.status();
  auto mapped = (*segment)->map(Access::kReadWrite);
  if (!mapped.ok()) return mapped.status();
  activity_ = std::move(*segment);
  activity_map_ = std::move(*mapped);
  ready_by_ns_ = now_ns() + setup_.start_ns;
  return {};
}

Status Supervisor::connect() {
  if (setup_.node_command.empty())
    return {Code::kUnsupported, "transport '" + std::string(setup_.transports.wires.front()->name()) +
                                    "' joins processes; give each controller its own, or use another transport"};
  WOA_RETURN_IF_ERROR(share_activity());
  std::vector<control::Replicas> replicas(nodes_.size());
  replicas[kHostController] = to_replicas(*setup_.layout, *setup_.segments);
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) WOA_RETURN_IF_ERROR(in_context(c, engage(c)));
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    control::FromNode message;
    WOA_RETURN_IF_ERROR(await_word(c));
    WOA_RETURN_IF_ERROR(in_context(c, hear(c, message)));
    auto* const described = std::get_if<control::Replicas>(&message);
    if (described == nullptr) return in_context(c, {Code::kDataLoss, "its first message does not describe its memory"});
    replicas[c] = std::move(*described);
    const control::Replicas shared = select(replicas[c], shared_replicas(*setup_.layout, kHostController, c));
    const auto given_up = [this] { return first_ended().has_value(); };
    const Status connected = connect_replicas(shared, *setup_.segments, setup_.transports, given_up);
    if (!connected.ok()) return why_not_connected(c, connected);
  }
  for (Wire* wire : setup_.transports.wires) wire->all_connected();
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    control::Connect connect;
    for (std::uint32_t other = 0; other < nodes_.size(); ++other) {
      if (other != c) connect.peers.push_back(select(replicas[other], shared_replicas(*setup_.layout, c, other)));
    }
    WOA_RETURN_IF_ERROR(in_context(c, nodes_[c].socket->send(control::FromHost(std::move(connect)))));
  }
  return {};
}

// Probing may fork, which no process may do that has other threads or has woken a driver.
void Supervisor::probe_devices() const {
  for (std::uint32_t c = 1; c < nodes_.size(); ++c)
    if (const BackendFactory* const factory = setup_.backends->find(setup_.plan->controllers[c].backend))
      if (factory->probe) (void)factory->probe();  // make() says what it found
}

Status Supervisor::start(Doorbell host) {
  host_ = host;
  WOA_RETURN_IF_ERROR(share_activity());
  const bool processes = !setup_.node_command.empty();
  if (!processes) probe_devices();
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    const bool engaged = nodes_[c].socket.has_value();  // by connect()
    if (!engaged) WOA_RETURN_IF_ERROR(in_context(c, processes ? engage(c) : make_hosted(c)));
  }
  for (const Node& node : nodes_)
    if (node.pid > 0) children_.push_back(node.pid);
  if (processes) return await_all_ready();
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) WOA_RETURN_IF_ERROR(in_context(c, start_thread(c)));
  return {};
}

Status Supervisor::engage(std::uint32_t controller) {
  Node& node = nodes_[controller];
  if (const auto joined = setup_.joined.find(controller); joined != setup_.joined.end()) {
    node.address = joined->second.address;
    node.socket.emplace(std::move(joined->second.socket));
  } else {
    WOA_RETURN_IF_ERROR(spawn(controller));
  }
  limit_blocking(node.socket->descriptor(), setup_.start_ns);
  std::vector<int> descriptors;
  if (node.address.empty()) descriptors.push_back(activity_->descriptor());
  if (setup_.layout->sites.together(controller, kHostController))
    descriptors.push_back(setup_.segments->whole->descriptor());
  const Status sent = node.socket->send(hello_for(setup_, controller), descriptors);
  control::FromNode reason;  // of a node that could not stay
  return sent.ok() ? sent : hear(controller, reason);
}

Status Supervisor::spawn(std::uint32_t controller) {
  auto ends = ControlSocket::pair();
  if (!ends.ok()) return ends.status();
  std::vector<std::string> command = setup_.node_command;
  command.push_back(std::to_string(kNodeDescriptor));
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  // dup2 onto the same number would keep close-on-exec; the child's end is moved out of the way first.
  UniqueFd child_end(::fcntl(ends->second.descriptor(), F_DUPFD_CLOEXEC, kNodeDescriptor + 1));
  if (child_end.get() < 0) return limit_reached("making a control socket", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_end.get(), kNodeDescriptor);
  // Libraries have descriptors without close-on-exec: a node that kept libfabric's listener would keep its port open.
  posix_spawn_file_actions_addclosefrom_np(&actions, kNodeDescriptor + 1);
  const int error =
      ::posix_spawn(&nodes_[controller].pid, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    nodes_[controller].pid = -1;
    if (error == EAGAIN || error == ENOMEM || is_limit(error)) return limit_reached("starting its process", error);
    return {Code::kUnavailable, "cannot start '" + command[0] + "': " + std::strerror(error)};
  }
  nodes_[controller].socket.emplace(std::move(ends->first));
  return {};
}

// Receives the next message of a node that is not ready yet; returns its failure, if it is one.
Status Supervisor::hear(std::uint32_t controller, control::FromNode& message) {
  const std::uint64_t now = now_ns();
  const int descriptor = nodes_[controller].socket->descriptor();
  pollfd polled{descriptor, POLLIN, 0};
  if (now >= ready_by_ns_ && ::poll(&polled, 1, 0) == 0) return not_ready();
  if (now < ready_by_ns_) limit_blocking(descriptor, ready_by_ns_ - now);
  Status status = nodes_[controller].socket->receive(message);
  if (status.code() == Code::kDeadlineExceeded) return not_ready();
  if (!status.ok()) {
    nodes_[controller].ended = true;
    status = how_lost(controller);
    return {Code::kPeerLost, "before it was ready " + status.message()};
  }
  if (const auto* failed = std::get_if<control::Failed>(&message)) return from_failed(*failed);
  return {};
}

// Names every node that has said nothing.
Status Supervisor::not_ready() const {
  std::string names;
  for (const Node& node : nodes_) {
    pollfd polled{node.socket ? node.socket->descriptor() : -1, POLLIN, 0};
    if (polled.fd < 0 || ::poll(&polled, 1, 0) != 0) continue;
    names += (names.empty() ? "" : ", ") + node.name;
    if (!node.address.empty()) names += " (" + node.address + ")";
    if (node.pid > 0) names += " (process " + std::to_string(node.pid) + ")";
  }
  return {Code::kUnavailable, "not ready after " + std::to_string(setup_.start_ns / 1'000'000) + " ms: " + names +
                                  "; is a process stopped? A slow device needs a larger --start-limit"};
}

Status Supervisor::await_ready(std::uint32_t controller) {
  control::FromNode message;
  WOA_RETURN_IF_ERROR(hear(controller, message));
  auto* const ready = std::get_if<control::Ready>(&message);
  if (ready == nullptr) return {Code::kDataLoss, "it was expected to be ready, and said something else"};
  static_cast<control::Ready&>(nodes_[controller].report) = std::move(*ready);
  return {};
}

Status Supervisor::make_hosted(std::uint32_t controller) {
  HostedControllerSetup setup;
  setup.plan = setup_.plan;
  setup.layout = setup_.layout;
  setup.id = controller;
  setup.backends = setup_.backends;
  setup.transports = setup_.transports;
  setup.segments = setup_.segments;
  setup.kernel_path = setup_.kernel_path;
  setup.read_declaration = setup_.read_declaration;
  setup.program_kernels = setup_.program_kernels;
  setup.brief_program_kernels_here = setup_.brief_program_kernels_here;
  setup.trace_limit = setup_.trace_limit;
  setup.idle = setup_.waits[controller];
  setup.processors = processors_of(setup_, controller);
  setup.activity = activity(controller);
  auto hosted = HostedController::make(std::move(setup));
  if (!hosted.ok()) return hosted.status();
  Node& node = nodes_[controller];
  node.hosted = std::move(*hosted);
  static_cast<control::Ready&>(node.report) = to_ready(*node.hosted);
  return {};
}

Status Supervisor::start_thread(std::uint32_t controller) {
  Node& node = nodes_[controller];
  node.driven = true;
  const Status status = woa::start_thread(
      node.thread, "starting its thread",
      [this, hosted = node.hosted.get(), controller] { on_thread_end(controller, hosted->run(stop_)); });
  if (!status.ok()) node.driven = false;
  return status;
}

}  // namespace woa
