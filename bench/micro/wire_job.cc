#include "bench/micro/wire_job.h"

namespace woa::bench {
namespace {

int run_second(const WireJob& job, const OpenWireSide& open, int socket) {
  const Result<WireSide> side = open(Talk(socket), false);
  return side.ok() && (*side)(kWireWarmUp) && (*side)(job.messages) ? 0 : 1;
}

Result<double> run_first(const WireJob& job, const OpenWireSide& open, int socket) {
  const Result<WireSide> side = open(Talk(socket), true);
  if (!side.ok()) return side.status();
  bool ok = (*side)(kWireWarmUp);
  const std::uint64_t start = now_ns();
  ok = ok && (*side)(job.messages);
  const std::uint64_t end = now_ns();
  if (!ok) return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(end - start);
}

}  // namespace

Result<double> run_wire_job(const WireJob& job, const OpenWireSide& open) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    return {Code::kUnavailable, "cannot make a pair of sockets"};
  const auto finish = [&](Result<double> result) {
    for (const int socket : sockets) ::close(socket);
    return result;
  };
  auto pair = PinnedPair::start([&] {
    ::close(sockets[0]);  // so that this side notices when the other ends
    return run_second(job, open, sockets[1]);
  });
  if (!pair.ok()) return finish(pair.status());
  const Result<double> ns = run_first(job, open, sockets[0]);
  if (!ns.ok()) return finish(ns);
  if (pair->wait() != 0) return finish({Code::kPeerLost, "the other process ended early"});
  return finish(ns);
}

}  // namespace woa::bench
