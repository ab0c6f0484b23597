// Hears from a supervisor's running nodes, notices their failures and deaths, and finds out why they ended.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/child_process.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/status.h"
#include "runtime/base/thread.h"
#include "runtime/node/activity_reports.h"
#include "runtime/node/supervisor.h"

namespace woa {
namespace {

constexpr std::uint64_t kObituaryNs = 1'000'000'000;  // between a process's last word and its end
constexpr std::uint64_t kExplainedNs = 250'000'000;   // between the loss of a controller and the news of its end
constexpr int kLookMs = 1000;                         // between two looks for stopped processes
constexpr std::uint64_t kStoppedNs = 3'000'000'000;   // that a process may be stopped in silence

}  // namespace

Status Supervisor::watch() {
  if (setup_.node_command.empty()) return {};
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.get() < 0) return limit_reached("watching the nodes", errno);
  return woa::start_thread(watcher_, "watching the nodes", [this](const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { wake_watcher(); });
    if (const Status watched = or_no_memory([&] { return watch_processes(stop); }); !watched.ok()) cancel(watched);
  });
}

void Supervisor::wake_watcher() const {
  if (wake_.get() >= 0) ::eventfd_write(wake_.get(), 1);
}

// For how long the watcher may listen; -1: for any time. Fails the run if no controller's end explains what was lost.
int Supervisor::ms_to_verdict() {
  Status lost;
  {
    const std::lock_guard lock(mutex_);
    if (lost_since_ns_ == 0 || failed()) return -1;
    const std::uint64_t waited_ns = now_ns() - lost_since_ns_;
    if (waited_ns < kExplainedNs) return static_cast<int>((kExplainedNs - waited_ns) / 1'000'000 + 1);
    lost = lost_;
  }
  cancel(lost);
  return -1;
}

// Says once who keeps the run waiting: a process that is stopped may go on, so it is not taken for lost (ADR 11).
void Supervisor::look_for_stopped() {
  const std::uint64_t now = now_ns();
  for (Node& node : nodes_) {
    const bool stopped = node.pid > 0 && is_stopped(node.pid);
    if (!stopped) node.stop_told = false;
    if (!stopped || node.stopped_since_ns == 0) node.stopped_since_ns = stopped ? now : 0;
    if (!stopped || node.stop_told || now - node.stopped_since_ns < kStoppedNs) continue;
    node.stop_told = true;
    const std::string process = std::to_string(node.pid);
    log(LogLevel::kWarning, "the run waits for controller '" + node.name + "': its process " + process +
                                " is stopped; `kill -CONT " + process + "` lets it go on");
  }
}

// Until `stop`. Returns why it cannot go on.
Status Supervisor::watch_processes(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
    std::vector<std::uint32_t> who{0};
    for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
      if (!nodes_[c].socket) continue;
      polled.push_back({nodes_[c].socket->descriptor(), POLLIN, 0});
      who.push_back(c);
    }
    const int verdict_ms = ms_to_verdict();
    if (::poll(polled.data(), polled.size(), verdict_ms < 0 ? kLookMs : std::min(verdict_ms, kLookMs)) < 0) {
      if (errno == EINTR) continue;
      return {Code::kInternal, std::string("the nodes' sockets cannot be watched: ") + std::strerror(errno)};
    }
    look_for_stopped();
    eventfd_t wakes = 0;
    if (polled[0].revents != 0) ::eventfd_read(wake_.get(), &wakes);
    for (std::size_t k = 1; k < polled.size(); ++k) {
      if (polled[k].revents != 0) on_message(who[k]);
    }
  }
  return {};
}

void Supervisor::on_message(std::uint32_t controller) {
  Node& node = nodes_[controller];
  control::FromNode message;
  Status status = node.socket->receive(message);
  const bool lives = status.ok();
  if (!status.ok()) {
    status = how_lost(controller);
  } else if (auto* report = std::get_if<control::Report>(&message)) {
    const std::lock_guard lock(mutex_);
    status = from_report(std::move(*report), *setup_.plan, setup_.transports.wires.size(), node.report);
    node.reported = status.ok();
  } else if (const auto* running = std::get_if<control::Running>(&message)) {
    status = take_report(*running, *setup_.plan, activity(controller));
  } else if (const auto* failed = std::get_if<control::Failed>(&message)) {
    status = from_failed(*failed);
  }
  if (!status.ok()) {
    if (lives && status.code() == Code::kPeerLost)
      lose(controller, status);
    else
      fail(controller, status);
    node.socket.reset();  // nothing more to hear
  }
  changed_.notify_all();
}

void Supervisor::on_thread_end(std::uint32_t controller, const Status& status) {
  Node& node = nodes_[controller];
  {
    const std::lock_guard lock(mutex_);
    node.driven = false;
    changed_.notify_all();
  }
  const Status reported = or_no_memory([&]() -> Status {
    WOA_RETURN_IF_ERROR(status);
    const std::lock_guard lock(mutex_);
    node.report.stats = node.hosted->controller().stats();
    const auto trace = node.hosted->controller().trace();
    node.report.trace.assign(trace.begin(), trace.end());
    node.reported = true;
    changed_.notify_all();
    return {};
  });
  if (!reported.ok()) fail(controller, reported);
}

// How a silent node ended, and which kernels it ran.
Status Supervisor::how_lost(std::uint32_t controller) {
  Node& node = nodes_[controller];
  if (!node.address.empty()) return {Code::kPeerLost, "its node at " + node.address + " is gone"};
  const ChildEnd end = node.pid > 0 ? reap_child(node.pid, kObituaryNs) : ChildEnd();
  if (end.ended) node.pid = -1;
  std::string text = "its process " + (end.status ? how_it_ended(*end.status) : "closed its connection");
  const std::vector<RunningKernel> running = running_kernels(controller, activity(controller));
  if (!running.empty()) text += ", while " + to_string(*setup_.plan, running);
  if (end.status) text += what_to_look_at(*end.status);
  const std::lock_guard lock(mutex_);
  if (failure_.ok()) ran_at_death_ = running;
  return {Code::kPeerLost, std::move(text)};
}

void Supervisor::lose(std::uint32_t controller, const Status& lost) {
  if (wake_.get() < 0) return fail(controller, lost);  // no processes that could end
  {
    const std::lock_guard lock(mutex_);
    if (lost_since_ns_ != 0) return;
    lost_ = if_memory([&] { return in_context(controller, lost); }, lost);
    lost_since_ns_ = now_ns();
  }
  wake_watcher();
}

void Supervisor::fail(std::uint32_t controller, const Status& status) {
  cancel(if_memory([&] { return in_context(controller, status); }, status));
}

void Supervisor::cancel(const Status& why) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_.ok() && !stop_.load()) failure_ = why;
    failed_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
  host_.ring();
}

Status Supervisor::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace woa
