#include "bench/micro/sides.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "runtime/base/clock.h"
#include "runtime/measure/pinned_group.h"

namespace woa::bench {

using namespace measure;
namespace {

bool send_all(int socket, const void* data, std::size_t bytes) {
  return ::send(socket, data, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

bool receive_all(int socket, void* data, std::size_t bytes) {
  return ::recv(socket, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

bool send_text(int socket, const std::string& text) {
  const std::size_t bytes = text.size();
  return send_all(socket, &bytes, sizeof bytes) && send_all(socket, text.data(), bytes);
}

// Empty: the other side is gone.
std::string receive_text(int socket) {
  std::size_t bytes = 0;
  if (!receive_all(socket, &bytes, sizeof bytes)) return {};
  std::string text(bytes, '\0');
  return receive_all(socket, text.data(), bytes) ? text : std::string();
}

// Sockets between the first side and each other one.
class Lines {
 public:
  static Result<Lines> open(std::size_t sides) {
    Lines lines;
    for (std::size_t other = 1; other < sides; ++other) {
      Ends ends{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return limit_reached("making a pair of sockets", errno);
      lines.ends_.push_back(ends);
    }
    return lines;
  }
  Lines(Lines&& other) noexcept : ends_(std::exchange(other.ends_, {})) {}
  Lines& operator=(Lines&&) = delete;
  ~Lines() {
    for (const Ends& each : ends_)
      for (const int end : each)
        if (end >= 0) ::close(end);
  }

  // The sockets of side `number`, called in its process. Closes the others' ends, so that it notices when they end.
  std::vector<int> keep(std::size_t number) {
    std::vector<int> kept;
    for (std::size_t k = 0; k < ends_.size(); ++k) {
      keep_if(number == 0, ends_[k][0], kept);
      keep_if(number == k + 1, ends_[k][1], kept);
    }
    return kept;
  }

 private:
  using Ends = std::array<int, 2>;  // the first side's and the other's; -1: closed
  Lines() = default;
  static void keep_if(bool own, int& end, std::vector<int>& kept) {
    if (own)
      kept.push_back(end);
    else
      ::close(std::exchange(end, -1));
  }
  std::vector<Ends> ends_;  // of the second side, the third, ...
};

Result<double> run_side(const SidesJob& job, const OpenSide& open, const Talk& talk) {
  WOA_ASSIGN_OR_RETURN(const Side side, open(talk));
  const auto ns = side_ns(side, job);
  if (ns.ok()) WOA_RETURN_IF_ERROR(gone_unless(!talk.gather("done").empty()));
  return ns;
}

int run_other(const SidesJob& job, const OpenSide& open, const Talk& talk) {
  const auto ns = run_side(job, open, talk);
  if (!ns.ok()) std::fprintf(stderr, "process %zu: %s\n", talk.number() + 1, ns.status().message().c_str());
  return ns.ok() ? 0 : 1;
}

}  // namespace

std::vector<std::string> Talk::gather(const std::string& mine) const {
  std::vector<std::string> all;
  const auto take = [&](int socket) { return !all.emplace_back(receive_text(socket)).empty(); };
  if (!first()) {
    if (!send_text(sockets_[0], mine)) return {};
    std::size_t sides = 0;
    if (!receive_all(sockets_[0], &sides, sizeof sides)) return {};
    while (all.size() < sides)
      if (!take(sockets_[0])) return {};
    return all;
  }
  all.push_back(mine);
  for (const int socket : sockets_)
    if (!take(socket)) return {};
  const std::size_t sides = all.size();
  for (const int socket : sockets_) {
    if (!send_all(socket, &sides, sizeof sides)) return {};
    for (const std::string& text : all)
      if (!send_text(socket, text)) return {};
  }
  return all;
}

std::string Talk::swap(const std::string& mine) const {
  const auto both = gather(mine);
  return both.empty() ? std::string() : both[1 - number_];
}

Result<double> side_ns(const Side& side, const SidesJob& job) {
  WOA_RETURN_IF_ERROR(side(job.warm_up));
  const std::uint64_t start_ns = now_ns();
  WOA_RETURN_IF_ERROR(side(job.messages));
  return static_cast<double>(now_ns() - start_ns);
}

Result<double> run_sides(const SidesJob& job, const OpenSide& open) {
  WOA_ASSIGN_OR_RETURN(auto lines, Lines::open(job.processors.size()));
  std::vector<Member> others;
  for (std::size_t number = 1; number < job.processors.size(); ++number)
    others.push_back(
        {job.processors[number], [&, number] { return run_other(job, open, Talk(number, lines.keep(number))); }});
  WOA_ASSIGN_OR_RETURN(auto group, PinnedGroup::start(others, job.processors[0]));
  auto ns = run_side(job, open, Talk(0, lines.keep(0)));
  if (ns.ok() && group.wait() != 0) ns = gone_unless(false);
  return ns;
}

}  // namespace woa::bench
