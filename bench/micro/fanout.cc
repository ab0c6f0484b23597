#include "bench/micro/fanout.h"

#include <algorithm>
#include <span>
#include <string>

#include "bench/micro/raw_fabric_job.h"
#include "bench/micro/start_over.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/plans.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kWarmUp = 4;

constexpr Peer kPeers[] = {{"libfabric writes, shm", PeerLibrary::kLibfabric, "peer_libfabric", "shm"},
                           {"UCX active messages", PeerLibrary::kUcx, "peer_ucx", "am"},
                           {"MPI_Bcast", PeerLibrary::kMpi, "peer_mpi", "send"},
                           {"MPI_Bcast, copied twice", PeerLibrary::kMpi, "peer_mpi", "copied"},
                           {"ZeroMQ publish, ipc", PeerLibrary::kZeroMq, "peer_zeromq", "sockets", 8},
                           {"gRPC unary calls", PeerLibrary::kGrpc, "peer_grpc", "rpc", 8}};

std::uint64_t payloads_of(std::uint64_t size, std::uint64_t count) {
  constexpr std::uint64_t kMostBytes = 256 << 20, kFewest = 20, kMost = 5'000;
  return count != 0 ? count : std::clamp(kMostBytes / size, kFewest, kMost);
}

// Checks for one payload per controller, one packet per consumer, and no copy.
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
Result<double> run_us(const RunOptions& options, const std::string& provider, std::uint32_t consumers,
                      std::uint32_t controllers, std::uint64_t size, std::uint64_t payloads) {
  RunOptions placed = options;
  placed.processors.assign(controllers + 1, Processors{1});
  placed.idle = IdleOptions{0, 0};     // several loops share a processor: an idle one makes room
  auto here = PinnedGroup::start({});  // the host, on processor 0
  if (!here.ok()) return here.status();
  WOA_ASSIGN_OR_RETURN(auto driven, start_over(provider, fan_out(consumers, controllers, size), std::move(placed)));
  const FillInput fill = ones(size);
  WOA_RETURN_IF_ERROR(driven.drive(kWarmUp, fill).status());
  WOA_ASSIGN_OR_RETURN(auto ns, driven.drive(payloads, fill));
  WOA_ASSIGN_OR_RETURN(auto report, driven.finish());
  if (provider.empty()) WOA_RETURN_IF_ERROR(check_edges(report, consumers, controllers, size, kWarmUp + payloads));
  return static_cast<double>(ns) / 1e3 / static_cast<double>(payloads);
}

// A process for each consumer, on the processors of our controllers.
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

Contender ours(const RunOptions& options, const FanoutOptions& chosen, const std::string& name, std::uint32_t consumers,
               std::uint32_t controllers, std::uint64_t size) {
  return {name, "ours", size, [&options, &chosen, consumers, controllers, size] {
            return run_us(options, chosen.provider, consumers, controllers, size, payloads_of(size, chosen.count));
          }};
}

std::string number_of(std::uint32_t consumers) {
  return consumers == 1 ? "one consumer" : std::to_string(consumers) + " consumers";
}

Contest over_memory(const RunOptions& options, const FanoutOptions& chosen, std::uint64_t size) {
  const std::string all = number_of(chosen.consumers) + ", ";
  Contender one = ours(options, chosen, "one consumer", 1, 1, size);
  one.role = "limit";
  Contest contest{"us/payload",
                  chosen.repetitions,
                  one.name,
                  {one, ours(options, chosen, all + "one controller", chosen.consumers, 1, size),
                   ours(options, chosen, all + "a controller each", chosen.consumers, chosen.consumers, size)}};
  const std::size_t count = contest.contenders.size();
  const PeerJob job = peer_job(chosen.consumers, size, payloads_of(size, chosen.count));
  const PeerFolder peers = peers_can_hold(job) ? chosen.peers : PeerFolder();
  add_peers(contest, kPeers, peers, size, [=](const Peer& peer) { return peer_us(peer, peers, job); });
  for (Contender& peer : std::span(contest.contenders).subspan(count)) peer.name = all + peer.name;
  return contest;
}

// A fan-out to one process per controller.
Contest over_wire(const RunOptions& options, const FanoutOptions& chosen, std::uint64_t size,
                  std::uint32_t controllers) {
  const PeerJob job = peer_job(controllers, size, payloads_of(size, chosen.count));
  const PeerArguments raw{"", PeerArguments::Shape::kFanout, size, 1, {0, job.count, job.processors}};
  const std::string limit = "raw fi_writedata, " + number_of(controllers);
  Contest contest{"us/payload", chosen.repetitions, limit, {{limit, "limit", size, [=, &chosen] {
                                                               const auto ns =
                                                                   raw_fabric_shape_ns(chosen.provider, raw);
                                                               return ns.ok() ? Result<double>(*ns / 1e3) : ns;
                                                             }}}};
  if (controllers == 1 && chosen.consumers > 1)
    contest.contenders.push_back(ours(options, chosen, "one consumer", 1, 1, size));
  const std::string where = controllers == 1 ? ", one controller" : ", a controller each";
  contest.contenders.push_back(
      ours(options, chosen, number_of(chosen.consumers) + where, chosen.consumers, controllers, size));
  return contest;
}

std::vector<Contest> contests_of(const RunOptions& options, const FanoutOptions& chosen, std::uint64_t size) {
  if (chosen.provider.empty()) return {over_memory(options, chosen, size)};
  std::vector<Contest> contests{over_wire(options, chosen, size, 1)};
  if (chosen.consumers > 1) contests.push_back(over_wire(options, chosen, size, chosen.consumers));
  return contests;
}

}  // namespace

Result<Report> bench_fanout(const RunOptions& options, const FanoutOptions& chosen) {
  const bool shared = chosen.provider.empty();
  Report report{"fanout", shared ? std::string(options.transport->name()) : "ofi", Better::kLess};
  if (shared) name_absent(report, kPeers, chosen.peers);
  HostProbe probe;
  for (const std::uint64_t size : chosen.sizes) {
    if (!shared) WOA_RETURN_IF_ERROR(check_held(peer_job(chosen.consumers, size, 1)));
    for (const Contest& contest : contests_of(options, chosen, size)) {
      WOA_RETURN_IF_ERROR(run_contest(contest, probe, report).status());
    }
  }
  return report;
}

}  // namespace woa::bench
