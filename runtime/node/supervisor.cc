#include "runtime/node/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/node/tcp_socket.h"
#include "runtime/plan/plan_file.h"

extern char** environ;

namespace woa {
namespace {

constexpr int kNodeDescriptor = 3;                // where a node finds its control socket
constexpr std::chrono::milliseconds kGrace{250};  // between a stop and SIGKILL
// Every instance is complete by then, but a kernel of one that failed elsewhere may still run.
constexpr std::chrono::seconds kReportTimeout{10};
// Longer than any device takes to get ready. A child is not limited: whoever stops it can be found on this host.
constexpr std::uint64_t kJoinedPatienceNs = 60'000'000'000;
// That a node has to say why another lost it: it said so before it went.
constexpr std::uint64_t kReasonNs = 200'000'000;

int processor_of(const NodeSetup& setup, std::uint32_t controller) {
  return controller < setup.processors.size() ? setup.processors[controller] : -1;
}

// As a node needs it: why stages are where they are may be much longer than the rest.
std::string bytes_for_nodes(Plan plan) {
  plan.certificate.reset();
  return serialize(plan);
}

control::FromHost hello_for(const NodeSetup& setup, std::uint32_t controller) {
  control::FromHost message;
  control::Hello& hello = *message.mutable_hello();
  hello.set_packet_version(kPacketVersion);
  hello.set_kernel_abi(WOA_KERNEL_ABI);
  hello.set_plan(bytes_for_nodes(*setup.plan));
  hello.set_controller(controller);
  if (!setup.joined.contains(controller)) {  // one that joined has folders of its own
    for (const auto& folder : setup.kernel_path) hello.add_kernel_path(folder.string());
  }
  hello.set_trace(setup.trace);
  hello.set_spin_ns(setup.idle.spin_ns);
  hello.set_yields(setup.idle.yields);
  hello.set_sleep_ns(setup.idle.sleep_ns);
  hello.set_processor(processor_of(setup, controller));
  const Sites& sites = setup.layout->sites;
  hello.mutable_sites()->Assign(sites.of.begin(), sites.of.end());
  add_lanes(sites.lanes, hello);
  const auto sizes = sizes_of_segments(*setup.layout, sites.site(controller), *setup.transports.shared);
  if (sizes.ok()) hello.mutable_sizes()->Assign(sizes->begin(), sizes->end());  // or nothing had been allocated
  return message;
}

}  // namespace

Supervisor::Supervisor(NodeSetup setup) : setup_(std::move(setup)), nodes_(setup_.plan->controllers.size()) {
  for (std::size_t c = 0; c < nodes_.size(); ++c) nodes_[c].name = setup_.plan->controllers[c].name;
}

Supervisor::~Supervisor() {
  stop();
  reap();
}

Status Supervisor::in_context(std::uint32_t controller, const Status& status) const {
  return status.ok() ? status : status.with_context("controller '" + nodes_[controller].name + "'");
}

Status Supervisor::connect() {
  if (setup_.node_command.empty())
    return {Code::kUnsupported, "transport '" + std::string(setup_.transports.wires.front()->name()) +
                                    "' joins processes; give each controller its own, or use another transport"};
  std::vector<control::Replicas> replicas(nodes_.size());
  replicas[kHostController] = to_replicas(*setup_.layout, *setup_.segments);
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) WOA_RETURN_IF_ERROR(in_context(c, engage(c)));
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    control::FromNode message;
    WOA_RETURN_IF_ERROR(in_context(c, hear(c, message)));
    if (!message.has_replicas())
      return in_context(c, {Code::kDataLoss, "its first message does not describe its memory"});
    replicas[c] = std::move(*message.mutable_replicas());
    const control::Replicas shared = select(replicas[c], shared_replicas(*setup_.layout, kHostController, c));
    WOA_RETURN_IF_ERROR(in_context(c, connect_replicas(shared, *setup_.segments, setup_.transports)));
  }
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    control::FromHost message;
    control::Connect& connect = *message.mutable_connect();
    for (std::uint32_t other = 0; other < nodes_.size(); ++other) {
      if (other != c) *connect.add_peers() = select(replicas[other], shared_replicas(*setup_.layout, c, other));
    }
    WOA_RETURN_IF_ERROR(in_context(c, nodes_[c].socket->send(message)));
  }
  return {};
}

Status Supervisor::start(Doorbell host) {
  host_ = host;
  const bool processes = !setup_.node_command.empty();
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    const bool engaged = nodes_[c].socket.has_value();  // by connect()
    if (!engaged) WOA_RETURN_IF_ERROR(in_context(c, processes ? engage(c) : make_hosted(c)));
  }
  Status lost;  // of the first node that lost another: the other may say why
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    if (!processes) {  // only now: making a device may fork to probe its driver, and a fork copies no other thread
      nodes_[c].thread = std::jthread([this, &node = *nodes_[c].hosted, c] { on_thread_end(c, node.run(stop_)); });
      continue;
    }
    if (!lost.ok()) limit_blocking(nodes_[c].socket->descriptor(), kReasonNs);
    Status status = in_context(c, await_ready(c));
    if (status.code() != Code::kPeerLost) {
      WOA_RETURN_IF_ERROR(status);
    } else if (lost.ok()) {
      lost = std::move(status);
    }
  }
  return lost;
}

Status Supervisor::engage(std::uint32_t controller) {
  Node& node = nodes_[controller];
  if (const auto joined = setup_.joined.find(controller); joined != setup_.joined.end()) {
    node.address = joined->second.address;
    node.socket.emplace(std::move(joined->second.socket));
    limit_blocking(node.socket->descriptor(), kJoinedPatienceNs);
  } else {
    WOA_RETURN_IF_ERROR(spawn(controller));
  }
  std::vector<int> descriptors;
  if (setup_.layout->sites.together(controller, kHostController))
    descriptors.push_back(setup_.segments->whole->descriptor());
  const Status sent = node.socket->send(hello_for(setup_, controller), descriptors);
  control::FromNode reason;  // of one that could not stay
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
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_end.get(), kNodeDescriptor);
  const int error =
      ::posix_spawn(&nodes_[controller].pid, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    nodes_[controller].pid = -1;
    return {Code::kUnavailable, "cannot start '" + command[0] + "': " + std::strerror(error)};
  }
  nodes_[controller].socket.emplace(std::move(ends->first));
  return {};
}

// The next message of a node that is not ready yet; its failure, if it is one.
Status Supervisor::hear(std::uint32_t controller, control::FromNode& message) {
  if (Status status = nodes_[controller].socket->receive(message); !status.ok()) {
    return {Code::kPeerLost, "its process was lost before it was ready (" + status.message() + ")"};
  }
  if (message.has_failed()) return from_failed(message.failed());
  return {};
}

Status Supervisor::await_ready(std::uint32_t controller) {
  control::FromNode message;
  WOA_RETURN_IF_ERROR(hear(controller, message));
  if (!message.has_ready()) return {Code::kDataLoss, "it was expected to be ready, and said something else"};
  nodes_[controller].report.device = from_ready(message.ready());
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
  setup.trace = setup_.trace;
  setup.idle = setup_.idle;
  setup.processor = processor_of(setup_, controller);
  auto hosted = HostedController::make(std::move(setup));
  if (!hosted.ok()) return hosted.status();
  Node& node = nodes_[controller];
  node.hosted = std::move(*hosted);
  node.report.device = node.hosted->device();
  return {};
}

Status Supervisor::watch() {
  if (setup_.node_command.empty()) return {};
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  if (wake_.get() < 0)
    return {Code::kExhausted, std::string("no descriptor to watch nodes with: ") + std::strerror(errno)};
  watcher_ = std::jthread([this](std::stop_token stop) { watch_processes(stop); });
  return {};
}

void Supervisor::watch_processes(std::stop_token stop) {
  const std::stop_callback on_stop(stop, [this] {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  });
  while (!stop.stop_requested()) {
    std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
    std::vector<std::uint32_t> who{0};
    for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
      if (!nodes_[c].socket) continue;
      polled.push_back({nodes_[c].socket->descriptor(), POLLIN, 0});
      who.push_back(c);
    }
    if (::poll(polled.data(), polled.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return fail(who.back(), {Code::kInternal, std::string("its socket cannot be watched: ") + std::strerror(errno)});
    }
    for (std::size_t k = 1; k < polled.size(); ++k) {
      if (polled[k].revents != 0) on_message(who[k]);
    }
  }
}

void Supervisor::on_message(std::uint32_t controller) {
  Node& node = nodes_[controller];
  control::FromNode message;
  Status status = node.socket->receive(message);
  if (status.ok() && message.has_report()) {
    const std::lock_guard lock(mutex_);
    status = from_report(message.report(), *setup_.plan, setup_.transports.wires.size(), node.report);
    node.reported = status.ok();
  } else if (status.ok() && message.has_failed()) {
    status = from_failed(message.failed());
  } else if (!status.ok()) {
    status =
        Status(Code::kPeerLost, node.address.empty() ? "its process died" : "its node at " + node.address + " is gone");
  }
  if (!status.ok()) {
    fail(controller, status);
    node.socket.reset();  // nothing more to hear
  }
  changed_.notify_all();
}

void Supervisor::on_thread_end(std::uint32_t controller, const Status& status) {
  if (!status.ok()) return fail(controller, status);
  const std::lock_guard lock(mutex_);
  Node& node = nodes_[controller];
  node.report.stats = node.hosted->controller().stats();
  const auto trace = node.hosted->controller().trace();
  node.report.trace.assign(trace.begin(), trace.end());
  node.reported = true;
  changed_.notify_all();
}

void Supervisor::fail(std::uint32_t controller, const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_.ok() && !stop_.load()) failure_ = status.with_context("controller '" + nodes_[controller].name + "'");
    failed_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
  host_.ring();
}

Status Supervisor::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool Supervisor::all_reported() const {
  return std::all_of(nodes_.begin() + 1, nodes_.end(), [](const Node& node) { return node.reported; });
}

Result<std::vector<NodeReport>> Supervisor::collect() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kReportTimeout, [this] { return all_reported() || failed(); });
  if (failed()) return failure_;
  std::vector<NodeReport> reports(nodes_.size());
  for (std::size_t c = 1; c < nodes_.size(); ++c) {
    reports[c] = nodes_[c].report;
    reports[c].counted = nodes_[c].reported;
    reports[c].stats.edges.resize(setup_.plan->edges.size());  // nothing, where nothing was heard
    reports[c].stats.stages.resize(setup_.plan->stages.size());
  }
  return reports;
}

// Orderly where that is quick: nodes that do not answer within the grace are killed by reap().
void Supervisor::stop(const Status& why) {
  watcher_ = {};  // from here on this thread alone has the sockets
  if (stop_.exchange(true)) return;
  for (std::uint32_t c = 0; c < nodes_.size(); ++c)
    if (nodes_[c].socket) setup_.joined.erase(c);
  refuse(setup_.joined, why);
  control::FromHost message;
  message.mutable_stop()->set_why(why.message());
  for (Node& node : nodes_) {
    if (node.hosted) node.hosted->doorbell().ring();
    // A node that is gone already cannot be told.
    if (node.socket) (void)node.socket->send(message);
  }
  for (Node& node : nodes_) {
    if (node.thread.joinable()) node.thread.join();
  }
}

void Supervisor::reap() {
  for (Node& node : nodes_) node.socket.reset();
  const std::uint64_t deadline = now_ns() + static_cast<std::uint64_t>(std::chrono::nanoseconds(kGrace).count());
  for (Node& node : nodes_) {
    if (node.pid < 0) continue;
    while (::waitpid(node.pid, nullptr, WNOHANG) == 0) {
      if (now_ns() > deadline) ::kill(node.pid, SIGKILL);
      ::usleep(500);
    }
    node.pid = -1;
  }
}

}  // namespace woa
