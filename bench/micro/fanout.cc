#include "bench/micro/fanout.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string>

#include "bench/harness/contest.h"
#include "bench/micro/driven_run.h"
#include "bench/micro/host_probe.h"
#include "bench/micro/pinned_group.h"
#include "bench/micro/plans.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kWarmUp = 4;

constexpr Peer kPeers[] = {{"UCX active messages", PeerLibrary::kUcx, "peer_ucx", "am"},
                           {"MPI_Bcast", PeerLibrary::kMpi, "peer_mpi", "send"},
                           {"MPI_Bcast, copied twice", PeerLibrary::kMpi, "peer_mpi", "copied"},
                           {"ZeroMQ publish, ipc", PeerLibrary::kZeroMq, "peer_zeromq", "sockets", 8},
                           {"gRPC unary calls", PeerLibrary::kGrpc, "peer_grpc", "rpc", 8}};

std::uint64_t payloads_of(std::uint64_t size, std::uint64_t count) {
  constexpr std::uint64_t kMostBytes = 256 << 20, kFewest = 20, kMost = 5'000;
  return count != 0 ? count : std::clamp(kMostBytes / size, kFewest, kMost);
}

// One payload per controller, one packet per consumer, no copy.
Status check_edges(const RunReport& report, std::uint32_t consumers, std::uint32_t controllers, std::uint64_t size,
                   std::uint64_t payloads) {
  std::uint64_t messages = 0, bytes = 0, copied = 0;
  for (std::uint32_t e = 0; e < consumers; ++e) {
    messages += report.edges[e].messages;
    bytes += report.edges[e].payload_bytes;
    copied += report.edges[e].copied_bytes;
  }
  if (messages == consumers * payloads && bytes == controllers * size * payloads && copied == 0) return {};
  return {Code::kInternal, std::to_string(payloads) + " payloads of " + std::to_string(size) + " bytes took " +
                               std::to_string(messages) + " packets to " + std::to_string(consumers) +
                               " consumers, carried " + std::to_string(bytes) + " bytes and copied " +
                               std::to_string(copied)};
}

// Microseconds per payload of a run that lives for this launch alone.
Result<double> run_us(const RunOptions& options, std::uint32_t consumers, std::uint32_t controllers, std::uint64_t size,
                      std::uint64_t payloads) {
  RunOptions placed = options;
  placed.processors.assign(controllers + 1, 1);
  placed.idle = IdleOptions{0, 0};     // several loops to a processor: who has nothing to do makes room
  auto here = PinnedGroup::start({});  // the host, on processor 0
  if (!here.ok()) return here.status();
  auto driven = DrivenRun::start(fan_out(consumers, controllers, size), std::move(placed));
  if (!driven.ok()) return driven.status();
  const std::vector<std::byte> source(size, std::byte{1});
  const FillInput fill = [&source](std::uint32_t, std::span<std::byte> room) {
    std::memcpy(room.data(), source.data(), source.size());
    return Result<std::uint64_t>(source.size());
  };
  auto warm = driven->drive(kWarmUp, fill);
  if (!warm.ok()) return warm.status();
  auto ns = driven->drive(payloads, fill);
  if (!ns.ok()) return ns.status();
  auto report = driven->finish();
  if (!report.ok()) return report.status();
  WOA_RETURN_IF_ERROR(check_edges(*report, consumers, controllers, size, kWarmUp + payloads));
  return static_cast<double>(*ns) / 1e3 / static_cast<double>(payloads);
}

// As ours on a controller each.
PeerJob peer_job(std::uint32_t consumers, std::uint64_t size, std::uint64_t payloads) {
  PeerJob job{"fanout", size, payloads};
  job.processors.assign(consumers + 1, 1);
  job.processors[0] = 0;
  return job;
}

Result<double> peer_us(const Peer& peer, const PeerFolder& peers, const PeerJob& job) {
  const auto ns = peer_ns_each(peer, peers, job);
  if (!ns.ok()) return ns;
  return *ns / 1e3;
}

Contest contest_of(const RunOptions& options, const FanoutOptions& chosen, std::uint64_t size) {
  const std::uint64_t payloads = payloads_of(size, chosen.count);
  const auto run = [&options, size, payloads](std::uint32_t consumers, std::uint32_t controllers) {
    return [&options, size, payloads, consumers, controllers] {
      return run_us(options, consumers, controllers, size, payloads);
    };
  };
  const std::string all = std::to_string(chosen.consumers) + " consumers, ";
  Contest contest{"us/payload",
                  chosen.repetitions,
                  "one consumer",
                  {{"one consumer", "limit", size, run(1, 1)},
                   {all + "one controller", "ours", size, run(chosen.consumers, 1)},
                   {all + "a controller each", "ours", size, run(chosen.consumers, chosen.consumers)}}};
  const std::size_t ours = contest.contenders.size();
  const PeerJob job = peer_job(chosen.consumers, size, payloads);
  const PeerFolder peers = peers_can_hold(job) ? chosen.peers : PeerFolder();
  add_peers(contest, kPeers, peers, size, [=](const Peer& peer) { return peer_us(peer, peers, job); });
  for (Contender& peer : std::span(contest.contenders).subspan(ours)) peer.name = all + peer.name;
  return contest;
}

}  // namespace

Result<Report> bench_fanout(const RunOptions& options, const FanoutOptions& chosen) {
  Report report{"fanout", std::string(options.transport->name()), Better::kLess, "", {}};
  name_absent(report, kPeers, chosen.peers);
  HostProbe probe;
  for (const std::uint64_t size : chosen.sizes) {
    auto rows = run_contest(contest_of(options, chosen, size), [&] { return probe.look(); });
    if (!rows.ok()) return rows.status();
    std::ranges::move(*rows, std::back_inserter(report.rows));
  }
  report.host_state = probe.state();
  return report;
}

}  // namespace woa::bench
