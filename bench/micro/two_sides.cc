#include "bench/micro/two_sides.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

#include "bench/micro/pinned_group.h"
#include "runtime/base/clock.h"

namespace woa::bench {
namespace {

bool send_all(int socket, const void* data, std::size_t bytes) {
  return ::send(socket, data, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

bool receive_all(int socket, void* data, std::size_t bytes) {
  return ::recv(socket, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

Result<double> run_side(const SidesJob& job, const OpenSide& open, int socket, bool first) {
  const Talk talk(socket);
  const Result<Side> side = open(talk, first);
  if (!side.ok()) return side.status();
  const auto ns = side_ns(*side, job);
  if (ns.ok()) WOA_RETURN_IF_ERROR(gone_unless(!talk.swap("done").empty()));
  return ns;
}

}  // namespace

std::string Talk::swap(const std::string& mine) const {
  std::size_t bytes = mine.size();
  if (!send_all(socket_, &bytes, sizeof bytes) || !send_all(socket_, mine.data(), bytes)) return {};
  if (!receive_all(socket_, &bytes, sizeof bytes)) return {};
  std::string theirs(bytes, '\0');
  return receive_all(socket_, theirs.data(), bytes) ? theirs : std::string();
}

Result<double> side_ns(const Side& side, const SidesJob& job) {
  WOA_RETURN_IF_ERROR(side(job.warm_up));
  const std::uint64_t start_ns = now_ns();
  WOA_RETURN_IF_ERROR(side(job.messages));
  return static_cast<double>(now_ns() - start_ns);
}

Result<double> run_two_sides(const SidesJob& job, const OpenSide& open) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    return {Code::kUnavailable, "cannot make a pair of sockets"};
  const Member second{job.processors[1], [&] {
                        ::close(sockets[0]);  // so that this side notices when the other ends
                        const auto ns = run_side(job, open, sockets[1], false);
                        if (!ns.ok()) std::fprintf(stderr, "the second process: %s\n", ns.status().message().c_str());
                        return ns.ok() ? 0 : 1;
                      }};
  auto group = PinnedGroup::start({&second, 1}, job.processors[0]);
  ::close(sockets[1]);  // likewise
  auto ns = group.ok() ? run_side(job, open, sockets[0], true) : group.status();
  if (ns.ok() && group->wait() != 0) ns = gone_unless(false);
  ::close(sockets[0]);
  return ns;
}

}  // namespace woa::bench
