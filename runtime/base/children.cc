#include "runtime/base/children.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "runtime/base/plain_signals.h"
#include "runtime/base/thread.h"

namespace woa {
namespace {

constexpr int kFirstDescriptor = 3;

Status not_started(const std::string& program, int error) {
  if (error == EAGAIN || error == ENOMEM || is_limit(error)) return limit_reached("starting a process", error);
  return {Code::kUnavailable, "cannot start '" + program + "': " + std::strerror(error)};
}

// The descriptors, out of the way of the numbers that the child gets them by.
Status move_away(std::span<const int> descriptors, std::vector<UniqueFd>& moved) {
  const int first = kFirstDescriptor + static_cast<int>(descriptors.size());
  for (const int descriptor : descriptors) {
    moved.emplace_back(::fcntl(descriptor, F_DUPFD_CLOEXEC, first));
    if (moved.back().get() < 0) return limit_reached("starting a process", errno);
  }
  return {};
}

Result<pid_t> spawn(const Children::Program& program, std::span<const int> descriptors) {
  std::vector<char*> arguments;
  for (const std::string& argument : program.command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<UniqueFd> moved;
  WOA_RETURN_IF_ERROR(move_away(descriptors, moved));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (program.output >= 0) posix_spawn_file_actions_adddup2(&actions, program.output, STDOUT_FILENO);
  if (program.errors >= 0) posix_spawn_file_actions_adddup2(&actions, program.errors, STDERR_FILENO);
  int next = kFirstDescriptor;
  for (const UniqueFd& descriptor : moved) posix_spawn_file_actions_adddup2(&actions, descriptor.get(), next++);
  posix_spawn_file_actions_addclosefrom_np(&actions, next);
  const PlainSignals signals{SIGINT};
  pid_t child = -1;
  const int error = ::posix_spawn(&child, arguments[0], &actions, signals.attributes(), arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return not_started(program.command[0], error);
  return child;
}

void kill_and_reap(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

Children::~Children() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& child : running_) ::kill(child.first, SIGKILL);
  }
  if (thread_.joinable()) wake();
}

void Children::wake() const noexcept { ::eventfd_write(wake_.get(), 1); }

// With the mutex.
Status Children::begin() {
  if (thread_.joinable()) return {};
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.get() < 0) return limit_reached("starting a process", errno);
  return start_thread(thread_, "starting the thread that watches processes", [this] { watch(); });
}

Result<pid_t> Children::start(const Program& program, std::span<const int> descriptors, OnEnd on_end) {
  Request request{program, descriptors, std::move(on_end), std::nullopt};
  std::unique_lock lock(mutex_);
  WOA_RETURN_IF_ERROR(begin());
  asked_.push_back(&request);
  wake();
  answered_.wait(lock, [&] { return request.answer.has_value(); });
  return *std::move(request.answer);
}

void Children::kill(pid_t child) noexcept {
  const std::lock_guard lock(mutex_);
  if (running_.contains(child)) ::kill(child, SIGKILL);
}

void Children::watch() noexcept {
  std::vector<pollfd> polled;
  for (;;) {
    start_asked();
    tell_of_ended();
    {
      const std::lock_guard lock(mutex_);
      if (stopped_ && running_.empty()) return;
      polled.assign(1, {wake_.get(), POLLIN, 0});
      for (const auto& child : running_) polled.push_back({child.second.end.get(), POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), -1);
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
  }
}

void Children::start_asked() {
  const std::lock_guard lock(mutex_);
  for (Request* const request : asked_) {
    request->answer = or_no_memory([&]() -> Result<pid_t> {
      WOA_ASSIGN_OR_RETURN(const pid_t child, spawn(request->program, request->descriptors));
      UniqueFd end(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
      if (end.get() < 0) {
        const int error = errno;
        kill_and_reap(child);
        return limit_reached("watching a process", error);
      }
      running_.emplace(child, Child{std::move(end), std::move(request->on_end)});
      return child;
    });
  }
  asked_.clear();
  answered_.notify_all();
}

void Children::tell_of_ended() {
  for (;;) {
    OnEnd on_end;
    std::optional<int> how;
    {
      const std::lock_guard lock(mutex_);
      const auto ended = std::find_if(running_.begin(), running_.end(), [&](const auto& child) {
        int status = 0;
        const pid_t reaped = ::waitpid(child.first, &status, WNOHANG);
        if (reaped == child.first) how = status;
        return reaped != 0 && !(reaped < 0 && errno == EINTR);
      });
      if (ended == running_.end()) return;
      on_end = std::move(ended->second.on_end);
      running_.erase(ended);
    }
    on_end(how);
  }
}

}  // namespace woa
