#include "bench/micro/blocking_link.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/thread.h"
#include "runtime/node/tcp_socket.h"

namespace woa::bench {
namespace {

Result<BlockingLink> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return limit_reached("a pipe of the benchmark", errno);
  return BlockingLink{UniqueFd(ends[1]), UniqueFd(ends[0])};
}

Result<BlockingLink> make_connection() {
  constexpr std::uint64_t kPatienceNs = 5'000'000'000;
  auto listener = listen_tcp("127.0.0.1", 0);
  if (!listener.ok()) return Status(Code::kUnavailable, listener.status().message());
  WOA_ASSIGN_OR_RETURN(const auto address, HostAndPort::parse(local_address(listener->get())));
  WOA_ASSIGN_OR_RETURN(auto out, connect_tcp(address, now_ns() + kPatienceNs));
  ::fcntl(listener->get(), F_SETFL, 0);  // waits for the connection
  UniqueFd in(::accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (in.get() < 0) return limit_reached("a socket of the benchmark", errno);
  const int at_once = 1;
  ::setsockopt(out.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  return BlockingLink{std::move(out), std::move(in)};
}

[[nodiscard]] bool read_all(int in, std::span<std::byte> message) {
  while (!message.empty()) {
    const ssize_t count = ::read(in, message.data(), message.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return false;
    if (count > 0) message = message.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

class PipeInbox final : public Inbox {
 public:
  PipeInbox(UniqueFd in, std::uint64_t size) : in_(std::move(in)), message_(size) {}
  std::span<std::byte> next() override {
    return read_all(in_.get(), message_) ? std::span(message_) : std::span<std::byte>();
  }

 private:
  UniqueFd in_;
  std::vector<std::byte> message_;
};

class SocketInbox final : public Inbox {
 public:
  SocketInbox(UniqueFd in, const InboxOptions& options)
      : in_(std::move(in)), slots_(options.window + 1, std::vector<std::byte>(options.size)) {}
  SocketInbox(const SocketInbox&) = delete;
  SocketInbox& operator=(const SocketInbox&) = delete;
  ~SocketInbox() override {
    end();
    ::shutdown(in_.get(), SHUT_RDWR);  // the thread may read
    if (reader_.joinable()) reader_.join();
  }
  Status start() {
    return start_thread(reader_, "starting the reader of a socket", [this] { read(); });
  }

  std::span<std::byte> next() override {
    std::unique_lock lock(mutex_);
    if (std::exchange(in_use_, false)) {
      ++taken_;
      room_.notify_one();
    }
    arrived_.wait(lock, [&] { return ended_ || read_ > taken_; });
    if (read_ == taken_) return {};
    in_use_ = true;
    return slots_[taken_ % slots_.size()];
  }

 private:
  void read() {
    for (std::uint64_t k = 0;; ++k) {
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return ended_ || k - taken_ < slots_.size(); });
        if (ended_) return;
      }
      if (!read_all(in_.get(), slots_[k % slots_.size()])) return end();
      {
        const std::scoped_lock lock(mutex_);
        ++read_;
      }
      arrived_.notify_one();
    }
  }
  void end() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    arrived_.notify_one();
    room_.notify_one();
  }

  UniqueFd in_;
  std::vector<std::vector<std::byte>> slots_;
  std::mutex mutex_;
  std::condition_variable arrived_, room_;
  std::uint64_t read_ = 0, taken_ = 0;  // messages
  bool in_use_ = false, ended_ = false;
  std::thread reader_;
};

}  // namespace

Result<BlockingLink> BlockingLink::make(BlockingWay way) {
  return way == BlockingWay::kPipe ? make_pipe() : make_connection();
}

bool write_some(int out, std::span<const std::byte>& rest) {
  const ssize_t count = ::write(out, rest.data(), rest.size());
  if (count > 0) rest = rest.subspan(static_cast<std::size_t>(count));
  return count > 0 || errno == EINTR;
}

bool write_all(int out, std::span<const std::byte> message) {
  while (!message.empty())
    if (!write_some(out, message)) return false;
  return true;
}

Result<std::unique_ptr<Inbox>> open_inbox(const InboxOptions& options, UniqueFd in) {
  if (options.way == BlockingWay::kPipe)
    return std::unique_ptr<Inbox>(std::make_unique<PipeInbox>(std::move(in), options.size));
  auto inbox = std::make_unique<SocketInbox>(std::move(in), options);
  WOA_RETURN_IF_ERROR(inbox->start());
  return std::unique_ptr<Inbox>(std::move(inbox));
}

}  // namespace woa::bench
