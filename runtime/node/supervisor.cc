#include "runtime/node/supervisor.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/base/child_process.h"
#include "runtime/base/clock.h"
#include "runtime/base/free_memory.h"

namespace woa {
namespace {

constexpr std::chrono::milliseconds kGrace{250};     // between a stop and SIGKILL
constexpr std::uint64_t kKilledNs = 10'000'000'000;  // for the system to free what a killed process had

}  // namespace

Supervisor::Supervisor(NodeSetup setup) : setup_(std::move(setup)), nodes_(setup_.plan->controllers.size()) {
  for (std::size_t c = 0; c < nodes_.size(); ++c) nodes_[c].name = setup_.plan->controllers[c].name;
}

Supervisor::~Supervisor() {
  stop();
  reap();
}

Activity Supervisor::activity(std::uint32_t controller) const {
  return activity_map_ == nullptr ? Activity() : activity_of(*setup_.plan, controller, activity_map_->bytes());
}

Activity Supervisor::activity() const noexcept {
  if (activity_map_ == nullptr) return {};
  const auto bytes = activity_map_->bytes();
  return {reinterpret_cast<ActivitySlot*>(bytes.data()), activity_bytes(*setup_.plan) / sizeof(ActivitySlot)};
}

std::uint64_t Supervisor::own_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const pid_t child : children_) bytes += anonymous_bytes(child);
  for (const Node& node : nodes_)
    if (node.hosted != nullptr) bytes += node.hosted->own_bytes();
  return bytes;
}

std::vector<RunningKernel> Supervisor::running() const {
  std::vector<RunningKernel> all;
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    const auto some = running_kernels(c, activity(c));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<RunningKernel> Supervisor::ran_at_death() const {
  const std::lock_guard lock(mutex_);
  return ran_at_death_;
}

Status Supervisor::in_context(std::uint32_t controller, const Status& status) const {
  return status.ok() ? status : status.with_context("controller '" + nodes_[controller].name + "'");
}

bool Supervisor::all_reported() const {
  return std::all_of(nodes_.begin() + 1, nodes_.end(), [](const Node& node) { return node.reported; });
}

// Every instance is complete by now, but a kernel of one that failed elsewhere may still run.
Result<std::vector<NodeReport>> Supervisor::collect(std::uint64_t deadline_ns) {
  std::unique_lock lock(mutex_);
  const std::uint64_t now = now_ns();
  changed_.wait_for(lock, std::chrono::nanoseconds(deadline_ns > now ? deadline_ns - now : 0),
                    [this] { return all_reported() || failed(); });
  if (failed()) return failure_;
  std::vector<NodeReport> reports(nodes_.size());
  for (std::size_t c = 1; c < nodes_.size(); ++c) {
    reports[c] = nodes_[c].report;
    reports[c].counted = nodes_[c].reported;
    reports[c].stats.edges.resize(setup_.plan->edges.size());  // zeros, if nothing arrived
    reports[c].stats.stages.resize(setup_.plan->stages.size());
  }
  return reports;
}

void Supervisor::end_devices() {
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    Node& node = nodes_[c];
    {
      const std::lock_guard lock(mutex_);
      if (node.hosted == nullptr || !node.reported) continue;
    }
    if (!running_kernels(c, activity(c)).empty()) continue;
    if (node.thread.joinable()) node.thread.join();
    node.hosted->end_device();
  }
}

// Orderly if that is quick: reap() kills nodes that do not answer within the grace.
void Supervisor::stop(const Status& why) {
  watcher_ = {};  // from here on only this thread uses the sockets
  stop_.store(true);
  if (std::exchange(told_, true)) return;
  for (std::uint32_t c = 0; c < nodes_.size(); ++c)
    if (nodes_[c].socket) setup_.joined.erase(c);
  refuse(setup_.joined, why);
  for (const Node& node : nodes_)
    if (node.hosted) node.hosted->doorbell().ring();
  // A node that is gone already cannot be told; one that is not told ends when its socket closes.
  (void)or_no_memory([&] {
    const control::FromHost message = control::Stop{why.message()};
    for (Node& node : nodes_)
      if (node.socket) (void)node.socket->send(message);
    return Status();
  });
  for (Node& node : nodes_) {
    if (node.thread.joinable()) node.thread.join();
  }
}

bool Supervisor::stop_within(std::uint64_t limit_ns) {
  std::unique_lock lock(mutex_);
  stop_.store(true);
  for (Node& node : nodes_)
    if (node.hosted) node.hosted->doorbell().ring();
  const bool ended = changed_.wait_for(lock, std::chrono::nanoseconds(limit_ns), [this] {
    return std::none_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.driven; });
  });
  if (!ended) return false;
  // A worker's kernel may run on when the loop of its controller has ended.
  const bool threads = setup_.node_command.empty();
  return !threads || running().empty();
}

void Supervisor::reap() {
  for (Node& node : nodes_) node.socket.reset();
  const std::uint64_t deadline = now_ns() + static_cast<std::uint64_t>(std::chrono::nanoseconds(kGrace).count());
  for (Node& node : nodes_) {
    if (node.pid < 0) continue;
    const std::uint64_t now = now_ns();
    if (!reap_child(node.pid, deadline > now ? deadline - now : 0).ended) {
      ::kill(node.pid, SIGKILL);
      (void)reap_child(node.pid, kKilledNs);
    }
    node.pid = -1;
  }
}

}  // namespace woa
